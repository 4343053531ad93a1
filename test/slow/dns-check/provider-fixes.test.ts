import { afterAll, describe, expect, test } from 'vitest';
import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { codesBroken, codesOf, isBroken } from '#shared/model/verdict';
import type { Provider } from '../../../worker/checks/dns-check/mail-providers/provider.ts';
import { providers } from '../../../worker/checks/dns-check/mail-providers/table.ts';
import { assessMail } from '../../../worker/checks/dns-check/mail/assess.ts';
import { parseDmarc } from '../../../worker/checks/dns-check/mail/dmarc/parse-dmarc.ts';
import { gatherMail } from '../../../worker/checks/dns-check/mail/gather.ts';
import type { HttpAnswer } from '../../../worker/probes/http/port.ts';
import { goodZone } from '../../unit/dns-check/mail/good-zone.ts';
import {
  bodyOf,
  contextOf,
  stubDns,
  stubWeb,
  type ZoneLiteral,
} from '../../unit/dns-check/mail/zone-literal.ts';

const sendsBy = '198.51.100.77';
const owner = 'good.test TXT';
const isMailbox = (one: Provider) => one.isMailbox === true && one.include !== undefined;
const mailboxes = providers.filter(isMailbox);

/** A domain whose mail hosts are a service's, which sends from one address. */
function zoneOf({ mx = [], include = '' }: Provider, changes: ZoneLiteral): ZoneLiteral {
  const [suffix = ''] = mx;
  const hosts = [`mx1.${suffix}`, `mx2.${suffix}`];
  return {
    ...goodZone,
    'good.test TXT @192.0.2.53': null,
    'good.test TXT @192.0.2.54': null,
    'good.test MX': hosts.map((host, at) => `${at} ${host}`),
    ...Object.fromEntries(
      hosts.flatMap((host, at) => [
        [`${host} A`, `203.0.113.${at + 1}`],
        [`${host} AAAA`, `2001:db8:9::${at + 1}`],
      ]),
    ),
    ...(include === '' ? {} : { [`${include} TXT`]: `v=spf1 ip4:${sendsBy} ~all` }),
    ...changes,
  };
}

type Served = string | null;

async function see(zone: ZoneLiteral, policy: Served) {
  const http = (
    policy === null
      ? { kind: 'failure', code: 'connection-refused', reason: 'the connection was refused' }
      : { body: bodyOf(policy) }
  ) as HttpAnswer;
  const context = contextOf(stubDns(zone), stubWeb(http), { ip: sendsBy });
  const evidence = await gatherMail(context);
  return { ...assessMail(evidence), passes: evidence.message?.result === 'pass' };
}

type FixRecord = { readonly name: string; readonly type: string; readonly value: string };

function paste(zone: ZoneLiteral, { name, type, value }: FixRecord): ZoneLiteral {
  const kind = /^[\w=]+/.exec(value)?.[0].toLowerCase() ?? value;
  const old = [zone[`${name} ${type}`] ?? []].flat() as string[];
  const kept = type === 'MX' ? [] : old.filter((text) => !text.toLowerCase().startsWith(kind));
  return { ...zone, [`${name} ${type}`]: [...kept, value] };
}

const report = 'rua=mailto:postmaster@good.test';
const faults: readonly { name: string; changes: (own: Provider) => ZoneLiteral; policy?: Served }[] = [
  { name: 'no SPF record', changes: () => ({ [owner]: null }) },
  { name: 'everybody may send', changes: () => ({ [owner]: 'v=spf1 mx +all' }) },
  { name: 'everybody may send by a range', changes: () => ({ [owner]: 'v=spf1 mx ip4:0.0.0.0/0 ~all' }) },
  { name: 'a neutral end without the service', changes: () => ({ [owner]: 'v=spf1 mx ?all' }) },
  { name: 'no end', changes: ({ include }) => ({ [owner]: `v=spf1 include:${include}` }) },
  { name: 'ptr', changes: ({ include }) => ({ [owner]: `v=spf1 include:${include} ptr ~all` }) },
  {
    name: 'two records',
    changes: ({ include }) => ({ [owner]: [`v=spf1 include:${include} ~all`, 'v=spf1 mx ~all'] }),
  },
  {
    name: 'a dead include',
    changes: ({ include }) => ({ [owner]: `v=spf1 include:gone.test include:${include} ~all` }),
  },
  { name: 'terms behind all', changes: ({ include }) => ({ [owner]: `v=spf1 mx ~all include:${include}` }) },
  {
    name: 'no DMARC',
    changes: ({ include }) => ({ [owner]: `v=spf1 include:${include} ~all`, '_dmarc.good.test TXT': null }),
  },
  ...[
    `v=DMARC1; p=none; sp=none; ${report}`,
    `v=DMARC1; p=reject; np=none; t=y; ${report}`,
    `v=DMARC1; P=Reject; ${report}`,
    `v=DMARC1; p=rejct; ${report}`,
    `v=DMARC1; p=quarantine; sp=none; adkim=s; ${report}`,
    `v=DMARC1; p=reject; raa=mailto:postmaster@good.test`,
    `v=DMARC1; p=reject; psd=y; ${report}`,
    'v=DMARC1; p=none',
    'v=DMARC1; p=reject; fo=1',
  ].map((record) => ({
    name: record,
    changes: ({ include }: Provider): ZoneLiteral => ({
      [owner]: `v=spf1 include:${include} ~all`,
      '_dmarc.good.test TXT': record,
    }),
  })),
  {
    name: 'no MTA-STS',
    changes: () => ({
      '_mta-sts.good.test TXT': null,
      'mta-sts.good.test A': null,
      'mta-sts.good.test AAAA': null,
    }),
    policy: null,
  },
  {
    name: 'an MTA-STS record and no policy',
    changes: () => ({ '_mta-sts.good.test TXT': 'v=STSv1; id=a b' }),
    policy: null,
  },
  {
    name: 'an MTA-STS policy of other hosts',
    changes: () => ({}),
    policy: 'version: STSv1\nmode: enforce\nmx: old.example\nmax_age: 604800\n',
  },
  { name: 'no TLS reports', changes: () => ({ '_smtp._tls.good.test TXT': null }) },
];

const severe = (codes: readonly (keyof typeof mailRules)[]) =>
  codes.filter((code) => ['critical', 'high'].includes(mailRules[code].severity));

const tagsOf = (text: string) => {
  const parsed = parseDmarc(text);
  return 'tags' in parsed ? parsed.tags.map(({ name, value }) => `${name}=${value}`) : [];
};

async function tryFixes(provider: Provider, fault: (typeof faults)[number]) {
  const zone = zoneOf(provider, fault.changes(provider));
  const policy = fault.policy === undefined ? goodPolicyOf(provider) : fault.policy;
  const before = await see(zone, policy);
  const fixes = codesOf(before.verdicts).flatMap((code) => {
    const verdict = before.verdicts[code];
    return isBroken(verdict) && verdict.fix?.record
      ? [{ code, fix: verdict.fix, record: verdict.fix.record }]
      : [];
  });
  const tried = fixes.map(async ({ code, fix, record }) => {
    const after = await see(paste(zone, record), fix.snippets?.['mta-sts.txt'] ?? policy);
    const fresh = severe(codesBroken(after.verdicts)).filter((one) => !isBroken(before.verdicts[one]));
    const stops = before.passes && !after.passes;
    const isLower = (after.score ?? 0) < (before.score ?? 0);
    const lacksSender = code === 'spf-missing' && !after.passes;
    const isGone = !isBroken(after.verdicts[code]);
    return { code, fresh, stops, isLower, lacksSender, isGone, value: record.value };
  });
  return Promise.all(tried);
}

function goodPolicyOf({ mx = [] }: Provider): string {
  return `version: STSv1\nmode: enforce\nmx: *.${mx[0]}\nmax_age: 604800\n`;
}

describe('each fix, applied to a domain of each service', () => {
  const counts = { zones: 0, fixes: 0, ofSpf: 0 };
  afterAll(() => {
    console.log(`${counts.zones} zones, ${counts.fixes} fixes, ${counts.ofSpf} of them of SPF`);
  });
  test.for(mailboxes)('$name', async (provider) => {
    for (const fault of faults) {
      const tried = await tryFixes(provider, fault);
      counts.zones += 1;
      counts.fixes += tried.length;
      const wrong = tried.filter(
        ({ fresh, stops, isLower, lacksSender }) => fresh.length > 0 || stops || isLower || lacksSender,
      );
      expect({ [fault.name]: wrong }).toEqual({ [fault.name]: [] });
      counts.ofSpf += tried.filter(({ code }) => code.startsWith('spf-')).length;
    }
  });

  test('the service that gets the mail is in the record that is offered', async () => {
    for (const provider of mailboxes) {
      const [fault] = faults;
      const tried = fault ? await tryFixes(provider, fault) : [];
      expect(tried.find(({ code }) => code === 'spf-missing')?.value).toBe(
        `v=spf1 include:${provider.include} ~all`,
      );
    }
  });

  test.for(providers.filter((one) => one.mx !== undefined && !isMailbox(one)))(
    '$name hands mail on: no SPF record is offered, only the way',
    async (provider) => {
      const { verdicts } = await see(zoneOf(provider, { [owner]: null }), null);
      expect(verdicts['spf-missing']).toMatchObject({ broken: [{ name: 'good.test' }] });
      expect(verdicts['spf-missing']).not.toHaveProperty('fix.record');
    },
  );
});

describe('a fix of DMARC changes its own tag alone', () => {
  const rows: readonly { text: string; code: keyof typeof mailRules; wanted: string }[] = [
    {
      text: `v=DMARC1; p=none; sp=none; ${report}`,
      code: 'dmarc-policy-none',
      wanted: `v=DMARC1; p=quarantine; sp=none; ${report}`,
    },
    {
      text: `v=DMARC1; p=reject; np=none; t=y; ${report}`,
      code: 'dmarc-nonexistent-weaker',
      wanted: `v=DMARC1; p=reject; np=reject; t=y; ${report}`,
    },
    {
      text: `v=DMARC1; p=reject; adkim=s; t=y; ${report}`,
      code: 'dmarc-testing',
      wanted: `v=DMARC1; p=reject; adkim=s; ${report}`,
    },
    {
      text: `v=DMARC1; p=quarantine; sp=none; adkim=s; ${report}`,
      code: 'dmarc-subdomain-weaker',
      wanted: `v=DMARC1; p=quarantine; adkim=s; ${report}`,
    },
    {
      text: `v=DMARC1; P=Reject; ${report}`,
      code: 'dmarc-policy-fallback',
      wanted: `v=DMARC1; p=reject; ${report}`,
    },
    {
      text: `v=DMARC1; P=Reject; ${report}`,
      code: 'dmarc-unknown-tag',
      wanted: `v=DMARC1; p=reject; ${report}`,
    },
    {
      text: `v=DMARC1; policy=quarantine; ${report}`,
      code: 'dmarc-unknown-tag',
      wanted: `v=DMARC1; p=quarantine; ${report}`,
    },
    {
      text: `v=DMARC1; p=qurantine; aspf=s; ${report}`,
      code: 'dmarc-policy-fallback',
      wanted: `v=DMARC1; p=quarantine; aspf=s; ${report}`,
    },
    {
      text: 'v=DMARC1; p=reject; raa=mailto:a@good.test',
      code: 'dmarc-unknown-tag',
      wanted: 'v=DMARC1; p=reject; rua=mailto:a@good.test',
    },
    {
      text: 'v=DMARC1; p=reject; t=y; adkim=s',
      code: 'dmarc-rua-missing',
      wanted: 'v=DMARC1; p=reject; t=y; adkim=s; rua=mailto:dmarc-reports@good.test',
    },
  ];
  test.for(rows)('$code of $text', async ({ text, code, wanted }) => {
    const { verdicts } = await see({ ...goodZone, '_dmarc.good.test TXT': text }, null);
    const verdict = verdicts[code];
    const value = isBroken(verdict) ? (verdict.fix?.record?.value ?? '') : '';
    expect(tagsOf(value).toSorted()).toEqual(tagsOf(wanted).toSorted());
  });
});
