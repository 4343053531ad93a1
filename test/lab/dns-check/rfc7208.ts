import { dnsCheckOptions } from '#shared/catalogue/dns-check/options';
import { evaluateSpf } from '../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import { openAsker } from '../../../worker/dns/asker.ts';
import type { DnsAnswer, DnsProbe, DnsQuestion, DnsRecord } from '../../../worker/probes/dns/port.ts';
import { readYamlFile } from '../../kit/yaml.ts';

// node test/lab/dns-check/rfc7208.ts rfc7208-tests.yml: runs the public suite of RFC 7208, which is not kept here, through the options of
// a caller and the evaluator of the check. Prints what differs; exits with 1 where anything does.

type Entry = 'TIMEOUT' | { readonly [type: string]: string | readonly (string | number)[] };
type Scenario = {
  readonly zonedata: { readonly [name: string]: readonly Entry[] };
  readonly tests: { readonly [name: string]: Case };
};
type Case = {
  readonly host: string;
  readonly helo: string;
  readonly mailfrom: string;
  readonly result: string | readonly string[];
  readonly explanation?: string;
};

/** A DNS that answers from the data of a scenario. */
function openZonedata(zonedata: Scenario['zonedata']): DnsProbe {
  const names = new Map(Object.entries(zonedata).map(([name, entries]) => [name.toLowerCase(), entries]));
  const records = (name: string): readonly DnsRecord[] => {
    const entries = (names.get(name) ?? []).filter((entry) => entry !== 'TIMEOUT');
    const pairs = entries.flatMap((entry) => Object.entries(entry));
    // An SPF record stands for a TXT record, unless there are TXT records; "NONE" is none at all.
    const hasTxt = pairs.some(([type]) => type === 'TXT');
    return pairs
      .map(([type, value]) => ({ type: type === 'SPF' && !hasTxt ? 'TXT' : type, value }))
      .filter(({ value }) => value !== 'NONE')
      .map(({ type, value }) => ({ name, type, ttl: 60, data: dataOf(type, value) }));
  };
  return {
    ask: async (question) => {
      const own = records(question.name);
      const alias = own.find(({ type }) => type === 'CNAME');
      const more = typeof alias?.data === 'string' ? records(alias.data.toLowerCase()) : [];
      const answers = [...own, ...more].filter(({ type }) => type === question.type || type === 'CNAME');
      const isFound = answers.some(({ type }) => type === question.type);
      if (!isFound && names.get(question.name)?.includes('TIMEOUT')) return silence(question);
      return answerOf(question, names.has(question.name) ? 'NOERROR' : 'NXDOMAIN', answers);
    },
  };
}

function dataOf(type: string, value: string | readonly (string | number)[]): DnsRecord['data'] {
  const texts = typeof value === 'string' ? [value] : value.map(String);
  if (type === 'MX') return { preference: Number(texts[0]), exchange: texts[1] ?? '' };
  // Each byte one character, as the probe gives them.
  const strings = texts.map((text) => Buffer.from(text, 'utf8').toString('latin1'));
  return type === 'TXT' ? { strings, text: strings.join('') } : (texts[0] ?? '');
}

function silence(question: DnsQuestion): DnsAnswer {
  return { kind: 'failure', question, code: 'timeout', reason: 'no answer within 3 tries', server: '' };
}

function answerOf(question: DnsQuestion, rcode: string, answers: readonly DnsRecord[]): DnsAnswer {
  const flags = { aa: false, tc: false, ra: true, ad: false };
  const arrival = { server: '', transport: 'udp', rttMs: 1, sizeBytes: 100 } as const;
  return {
    kind: 'answer',
    question,
    rcode,
    flags,
    answers,
    authority: [],
    additional: [],
    ede: [],
    edns: null,
    ...arrival,
  };
}

const counts = { cases: 0, right: 0, explanations: 0, explained: 0 };
const differing: string[] = [];

async function run(name: string, { zonedata }: Scenario, test: Case): Promise<void> {
  counts.cases += 1;
  const sender = test.mailfrom === '' ? `postmaster@${test.helo}` : test.mailfrom;
  const options = dnsCheckOptions.safeParse({ ip: test.host, sender, helo: test.helo });
  if (!options.success) return void differing.push(`${name}: refused, ${options.error.issues[0]?.message}`);
  const message = { ip: test.host, sender, helo: test.helo };
  const {
    result,
    explanation = 'DEFAULT',
    comment = '',
  } = await evaluateSpf(openAsker(openZonedata(zonedata)), message, 5000);
  const wanted = [test.result].flat();
  if (wanted.includes(result)) counts.right += 1;
  else differing.push(`${name}: ${result} instead of ${wanted.join(' or ')} (${comment})`);
  if (test.explanation === undefined) return;
  counts.explanations += 1;
  // Hex digits of %{i} may be of either case; RFC 7208 §7.4 writes them in lower case, the suite as the address is given.
  if (explanation.toLowerCase() === test.explanation.toLowerCase()) counts.explained += 1;
  else differing.push(`${name}: explanation "${explanation}" instead of "${test.explanation}"`);
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: node test/lab/dns-check/rfc7208.ts rfc7208-tests.yml');
for (const scenario of readYamlFile(path) as Scenario[])
  for (const [name, test] of Object.entries(scenario.tests)) await run(name, scenario, test);
for (const line of differing) console.log(line);
console.log(
  `${counts.right} of ${counts.cases} results, ${counts.explained} of ${counts.explanations} explanations`,
);
process.exitCode = differing.length === 0 ? 0 : 1;
