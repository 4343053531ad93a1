import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mailReportShape } from '#shared/catalogue/dns-check/mail/report';
import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { listVerdicts } from '#shared/model/finding';
import type { Json } from '#shared/model/verdict';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import type { DnsProbe } from '../../../../worker/probes/dns/port.ts';
import keys from '../../../fixtures/dns-check/mail/dkim-keys.json' with { type: 'json' };
import { dnsReply } from '../../../kit/dns-reply.ts';
import { isSoak, runsOf } from '../../../kit/property-runs.ts';
import { dmarcRecord, spfRecord } from './arbitrary.ts';
import { goodPolicy } from './good-zone.ts';
import { bodyOf, contextOf, stubHttp } from './zone-literal.ts';

const shape = z.object(mailReportShape);

const text = fc.oneof(
  spfRecord,
  dmarcRecord,
  fc.constantFrom(
    `v=DKIM1; p=${keys.rsa1024}`,
    'v=DKIM1; p=',
    'v=STSv1; id=1',
    'v=STSv1; id=-',
    'v=TLSRPTv1; rua=mailto:a@b.test',
  ),
  fc.constantFrom(
    'v=BIMI1; l=https://a.test/',
    'v=BIMI1; l=x',
    '',
    'é'.repeat(400),
    'v=spf1 include:good.test redirect=good.test',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const name = fc.constantFrom(
  '',
  'good.test',
  'mx.test',
  '192.0.2.1',
  '10.0.0.1',
  '__proto__',
  '-',
  'a..b',
  'x'.repeat(300),
  '2001:db8::1',
  '::1',
);
const data: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 6,
    arbitrary: text.map((value): Json => ({ strings: [value.slice(0, 9), value.slice(9)], text: value })),
  },
  { weight: 2, arbitrary: name },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(99), name).map(([preference, exchange]): Json => ({ preference, exchange })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(5), fc.nat(3), fc.nat(4)).map(([usage, selector, matchingType]): Json => ({
      usage,
      selector,
      matchingType,
      certificate: '30ab',
    })),
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ malformed: true, rdata: '00' }, null, [], 7, {}) },
);
const rcode = fc.constantFrom('NOERROR', 'NOERROR', 'NOERROR', 'NXDOMAIN', 'SERVFAIL', 'REFUSED');
type Answer = [string, Json[], boolean];
const answers = fc.infiniteStream(fc.tuple(rcode, fc.array(data, { maxLength: 3 }), fc.boolean()));

/** How many domains. */
const runs = runsOf(500);

test(
  'domains that answer anything at all are gathered and judged without a throw',
  async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(answers, async (stream) => {
        const dns: DnsProbe = {
          ask: (question) => {
            const [code, records, ad] = stream.next().value as Answer;
            const answers = records.map((data) => ({ ...question, ttl: 1, data }));
            const flags = { aa: false, tc: false, ra: true, ad };
            return Promise.resolve(dnsReply(question, { rcode: code, flags, answers }));
          },
        };
        const http = stubHttp({ body: bodyOf(goodPolicy) } as Parameters<typeof stubHttp>[0]);
        const options = { ip: '192.0.2.1', dkimSelector: ['a', '__proto__'] };
        const evidence = await gatherMail(contextOf(dns, http, options));
        const { fields, verdicts, score } = assessMail(JSON.parse(JSON.stringify(evidence)));
        listVerdicts(mailRules, verdicts);
        judged += 1;
        expect(shape.safeParse(fields).error).toBeUndefined();
        expect(score === null || (score >= 0 && score <= 100)).toBe(true);
      }),
      { numRuns: runs },
    );
    expect(judged).toBe(runs);
  },
  isSoak ? 600_000 : 120_000,
);
