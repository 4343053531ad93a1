import { describe, expect, test } from 'vitest';
import type { DnsQuestion, DnsRecord, DnsReply } from '../../../worker/probes/dns/port.ts';
import { isDoubtful, openSecondWord } from '../../../worker/probes/dns/second-word.ts';
import { trustedNetwork } from '../../../worker/probes/vantage/open.ts';
import { dnsReply } from '../../kit/dns-reply.ts';

const record = (name: string, type: string, data: DnsRecord['data']): DnsRecord => ({
  name,
  type,
  ttl: 60,
  data,
});
const soa = (zone: string) => record(zone, 'SOA', { minimum: 60 });
const about = (name: string, type = 'A'): DnsQuestion => ({ name, type });

const www = about('www.a.com');
const gone = { rcode: 'NXDOMAIN' };
const alias = record('www.a.com', 'CNAME', 'edge.b.net');
const address = record('www.a.com', 'A', '93.184.215.14');

describe('the word of our own resolver', () => {
  test.for<[string, boolean, DnsReply]>([
    ['an address', false, dnsReply(www, { answers: [address] })],
    [
      'an address that is never dialled',
      true,
      dnsReply(www, { answers: [record('www.a.com', 'A', '0.0.0.0')] }),
    ],
    ['a denial of the zone', false, dnsReply(www, { ...gone, authority: [soa('a.com')] })],
    ['a denial of the zone above', false, dnsReply(www, { ...gone, authority: [soa('com')] })],
    ['a denial of nobody', true, dnsReply(www, gone)],
    ['a denial of the filter’s own zone', true, dnsReply(www, { ...gone, authority: [soa('rpz.local')] })],
    [
      'a denial of a name that only ends alike',
      true,
      dnsReply(www, { ...gone, authority: [soa('w.a.com')] }),
    ],
    [
      'a denial of what an alias leads to',
      false,
      dnsReply(www, { ...gone, answers: [alias], authority: [soa('net')] }),
    ],
    ['a denial by the root where com is there', true, dnsReply(www, { ...gone, authority: [soa('')] })],
    [
      'a denial by the root of an end that is not there',
      false,
      dnsReply(about('a.nosuchend'), { ...gone, authority: [soa('')] }),
    ],
    [
      'no record of the type, by the zone',
      false,
      dnsReply(about('a.com', 'MX'), { authority: [soa('a.com')] }),
    ],
    ['no record of the type, by nobody', true, dnsReply(about('a.com', 'MX'))],
    ['a refusal', true, dnsReply(www, { rcode: 'REFUSED' })],
    ['a failure', false, dnsReply(www, { rcode: 'SERVFAIL' })],
    ['Filtered (RFC 8914)', true, dnsReply(www, { answers: [address], ede: [{ code: 17, text: '' }] })],
    ['Stale Answer (RFC 8914)', false, dnsReply(www, { answers: [address], ede: [{ code: 3, text: '' }] })],
  ])('%s: doubtful %s', ([, expected, answer]) => {
    expect(isDoubtful(answer, (one) => one === '0.0.0.0')).toBe(expected);
  });
});

test('a resolver that proves nothing costs twelve questions of a domain', async () => {
  let asked = 0;
  const secondWord = openSecondWord({
    vantage: trustedNetwork,
    ask: {
      resolver: async (question) => dnsReply(question),
      server: async (_, question) => dnsReply(question),
    },
    zoneWord: async ({ question }) => {
      asked += 1;
      return dnsReply(question, gone);
    },
  });
  const questions = Array.from({ length: 40 }, (_, index) => about(`s${index}._domainkey.a.com`, 'TXT'));
  const answers = await Promise.all(
    questions.map((question) => secondWord({ question, options: {} }, dnsReply(question, gone))),
  );
  expect(answers).toEqual(questions.map((question) => dnsReply(question, gone)));
  expect(asked).toBe(12);
});

test('where one answer of a domain was false, each of its doubtful ones is asked about', async () => {
  const secondWord = openSecondWord({
    vantage: trustedNetwork,
    ask: {
      resolver: async (question) => dnsReply(question),
      server: async (_, question) => dnsReply(question),
    },
    zoneWord: async ({ question }) => dnsReply(question, question.name === 's3.a.com' ? {} : gone),
  });
  const questions = Array.from({ length: 40 }, (_, index) => about(`s${index}.a.com`));
  const answers = await Promise.all(
    questions.map((question) => secondWord({ question, options: {} }, dnsReply(question))),
  );
  expect(answers.filter((answer) => answer.kind === 'answer' && answer.rcode === 'NXDOMAIN')).toHaveLength(
    39,
  );
});

describe('a denial in the name of the zone above', () => {
  const domain = about('a.com', 'MX');
  const denial = dnsReply(domain, { ...gone, authority: [soa('com')] });
  const nothing = dnsReply(domain, { authority: [soa('com')] });
  const own = dnsReply(domain, { authority: [soa('a.com')] });
  const referral = { authority: [record('a.com', 'NS', 'ns.a.com')] };
  const isAuthority = { flags: { aa: true, tc: false, ra: false, ad: false } };

  test.for<[string, DnsReply, Partial<DnsReply> | undefined, string, number]>([
    ['is true where the parent denies it', denial, { ...gone, ...isAuthority }, 'NXDOMAIN', 3],
    ['is false where the parent delegates it', denial, referral, 'NOERROR', 3],
    ['is believed where nobody can say', denial, undefined, 'NXDOMAIN', 3],
    ['that says that the name is there is false, too', nothing, { ...gone, ...isAuthority }, 'NXDOMAIN', 3],
    ['by its own zone costs nothing', own, referral, 'NOERROR', 0],
  ])('%s', async ([, answer, parentSays, expected, questions]) => {
    let asked = 0;
    const secondWord = openSecondWord({
      vantage: trustedNetwork,
      ask: {
        async resolver(question) {
          asked += 1;
          return dnsReply(question, { answers: [record(question.name, question.type, 'x')] });
        },
        async server(server, question) {
          asked += 1;
          return parentSays
            ? dnsReply(question, parentSays)
            : { kind: 'failure', question, code: 'timeout', reason: '', server };
        },
      },
      zoneWord: async ({ question }) =>
        dnsReply(question, { answers: [record(question.name, question.type, 'x')] }),
    });
    const [first] = await Promise.all([
      secondWord({ question: domain, options: {} }, answer),
      secondWord({ question: domain, options: {} }, answer),
    ]);
    expect(first).toMatchObject({ kind: 'answer', rcode: expected });
    expect(asked).toBe(questions);
  });
});
