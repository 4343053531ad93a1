import { expect, test } from 'vitest';
import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { codesBroken, codesOf, isBroken } from '#shared/model/verdict';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import { cases } from './cases.ts';
import { goodPolicy, goodZone } from './good-zone.ts';
import { bodyOf, contextOf, stubDns, stubWeb, type ZoneLiteral } from './zone-literal.ts';

async function judge(zone: ZoneLiteral) {
  const context = contextOf(stubDns(zone), stubWeb({ body: bodyOf(goodPolicy) }));
  return assessMail(await gatherMail(context)).verdicts;
}

type Verdicts = Awaited<ReturnType<typeof judge>>;

/** What the findings offer to publish: by name, type and kind of record, the different values. */
function offersIn(verdicts: Verdicts): ReadonlyMap<string, ReadonlySet<string>> {
  const offers = new Map<string, Set<string>>();
  for (const code of codesBroken(verdicts)) {
    const verdict = verdicts[code];
    const record = isBroken(verdict) ? verdict.fix?.record : undefined;
    if (!record) continue;
    const key = `${record.type} ${record.name} ${record.value.slice(0, 6)}`;
    offers.set(key, (offers.get(key) ?? new Set()).add(record.value));
  }
  return offers;
}

const zoneWith = (name: string, text: string): ZoneLiteral => ({
  ...goodZone,
  '_spf.a.test TXT': 'v=spf1 ip4:198.51.100.0/24 -all',
  'empty.test TXT': 'v=spf1 -all',
  'gone.test TXT': null,
  [`${name} TXT`]: [text],
  ...(name === 'good.test' ? { 'good.test TXT @192.0.2.53': text, 'good.test TXT @192.0.2.54': text } : {}),
});

test.for(cases)('no two records for one name: $name', async ({ zone }) => {
  for (const values of offersIn(await judge(zone)).values()) expect(values.size).toBe(1);
});

const severities = ['info', 'low', 'medium', 'high', 'critical'];
const spf = [
  'v=spf1 mx mx ptr ~all',
  'v=spf1 mx ip4=5.9.10.11 mx -all',
  'v=spf1 include:empty.test mx mx ?all',
  'v=spf1 mx ip4=5.9.10.11 -ip4:5.9.10.0/24 include:gone.test ~all',
  'v=spf1 mx mx -all ip4:192.0.2.1',
  'v=spf1 mx mx redirect=_spf.a.test -all',
  'v=spf1 ptr include:empty.test ~all',
  'v=spf1 include:_spf.a.test include:_spf.a.test a:gone.test mx',
  'v=spf1 -all include:_spf.a.test include:_spf.a.test',
  'v=spf1 redirect=_spf.a.test ~all ptr',
  'v=spf1 mx ip4:192.0.2.0/24 ip4:192.0.2.7 ip4=5.9.10.11 ptr',
];
const dmarc = [
  'v=DMARC1; P=Reject; RUA=mailto:reports@good.test',
  ' v=DMARC1; p=rejct; Rua=mailto:reports@good.test',
  'v=DMARC1; p=none; policy=x; np=none',
  'v=DMARC1; p=reject; sp=none; t=y; rua=mailto:reports@good.test',
  'v=DMARC1; p=quarantine; np=none; psd=y; Sp=reject',
  'v=DMARC1; p=reject; sp=nnone; np=none',
  'v=DMARC1; policy=reject',
];

test.for([
  ...spf.map((text) => ['good.test', text] as const),
  ...dmarc.map((text) => ['_dmarc.good.test', text] as const),
])('what is offered for %s "%s" mends all that offer it, and makes nothing worse', async ([name, text]) => {
  const before = await judge(zoneWith(name, text));
  const [value, ...others] = [...offersIn(before)].flatMap(([key, values]) =>
    key.split(' ')[1] === name ? [...values] : [],
  );
  expect(others).toEqual([]);
  const after = await judge(zoneWith(name, value ?? text));
  const offering = codesOf(before).filter((code) => {
    const verdict = before[code];
    return isBroken(verdict) && verdict.fix?.record?.name === name;
  });
  expect(offering.filter((code) => isBroken(after[code]))).toEqual([]);
  const worst = Math.max(...codesBroken(before).map((code) => severities.indexOf(mailRules[code].severity)));
  const fresh = codesBroken(after).filter((code) => !isBroken(before[code]));
  expect(fresh.filter((code) => severities.indexOf(mailRules[code].severity) > worst)).toEqual([]);
});

test('letter cases of tags and values are mended in one record', async () => {
  const verdicts = await judge(
    zoneWith('_dmarc.good.test', 'v=DMARC1; P=Reject; RUA=mailto:reports@good.test'),
  );
  expect([...offersIn(verdicts).values()].map((values) => [...values])).toEqual([
    ['v=DMARC1; p=reject; rua=mailto:reports@good.test'],
  ]);
});

test('what the owner decides on offers no record beside what is mended by rule', async () => {
  const verdicts = await judge(
    zoneWith('_dmarc.good.test', 'v=DMARC1; p=reject; np=none; t=y; rua=mailto:reports@good.test'),
  );
  const { 'dmarc-testing': testing, 'dmarc-nonexistent-weaker': weaker } = verdicts;
  expect(testing).toMatchObject({
    fix: { text: expect.stringContaining('When the tests are over') as string },
  });
  expect(testing).not.toHaveProperty('fix.record');
  expect(weaker).toMatchObject({
    fix: { record: { value: 'v=DMARC1; p=reject; np=reject; t=y; rua=mailto:reports@good.test' } },
  });
});
