import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluateSpf } from '../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import { openAsker } from '../../../worker/dns/asker.ts';
import { openZonedata, type Zonedata } from './zonedata.ts';

const four = '192.0.2.7';
const six = '2001:db8::7';
const policy = (record: string) => [{ TXT: `v=spf1 ${record}` }];
const hosts = (count: number) => Array.from({ length: count }, (_, at) => at);

// One domain for each kind of thing that RFC 7208 speaks of.
const zone: Zonedata = {
  'in.example': policy('ip4:192.0.2.0/24 ip6:2001:db8::/32 -all'),
  'out.example': policy('ip4:198.51.100.0/24 -all'),
  'soft.example': policy('~all'),
  'neutral.example': policy('?all'),
  'endless.example': policy('ip4:198.51.100.1'),
  'twice.example': [{ TXT: 'v=spf1 -all' }, { TXT: 'v=spf1 +all' }],
  'split.example': [{ TXT: ['v=spf1 ip4:192.0', '.2.7 -all'] }],
  'slip.example': policy('ipv4:192.0.2.7 -all'),
  'late.example': policy('ip4:192.0.2.7 -all include:'),
  'lost.example': ['TIMEOUT'],
  'void.example': policy('a:none1.example a:none2.example -all'),
  'voids.example': policy('a:none1.example a:none2.example a:none3.example -all'),
  'host.example': [{ A: four }, { AAAA: six }],
  'a.example': policy('a:host.example -all'),
  'near.example': policy('a:host.example/24//64 -all'),
  'mx.example': [{ TXT: 'v=spf1 mx -all' }, { MX: [0, 'host.example'] }],
  'manymx.example': [
    { TXT: 'v=spf1 mx -all' },
    ...hosts(11).map((at) => ({ MX: [at, `m${at}.example`] as const })),
  ],
  'include.example': policy('include:in.example -all'),
  'fails.example': policy('include:out.example ~all'),
  'nothing.example': policy('include:host.example -all'),
  'badinclude.example': policy('include:slip.example -all'),
  'lostinclude.example': policy('include:lost.example -all'),
  'redirect.example': policy('redirect=in.example'),
  'redirectnone.example': policy('redirect=host.example'),
  'allfirst.example': policy('-all redirect=in.example'),
  'loop.example': policy('include:loop.example -all'),
  'eleven.example': policy(
    `${hosts(11)
      .map((at) => `exists:e${at}.example`)
      .join(' ')} -all`,
  ),
  ...Object.fromEntries(hosts(12).map((at) => [`e${at}.example`, [{ A: '198.51.100.1' }]])),
  'ten.example': policy(
    `${hosts(9)
      .map((at) => `a:e${at}.example`)
      .join(' ')} a:host.example -all`,
  ),
  'ptr.example': policy('ptr:names.example -all'),
  '7.2.0.192.in-addr.arpa': [{ PTR: 'mta.names.example' }],
  'mta.names.example': [{ A: four }],
  'liar.example': policy('ptr:liars.example -all'),
  'macro.example': policy('exists:%{ir}.%{v}.%{l1r-}.%{d2}.m.example -all'),
  '7.2.0.192.in-addr.box.macro.example.m.example': [{ A: '127.0.0.2' }],
  // A space, a percent sign and an escaped letter in a name: octets that a question and its answer print differently.
  'odd.example': policy('exists:%%x%_y%-z.%{L}.odd.example -all'),
  '%x y%20z.a%26b.odd.example': [{ A: '127.0.0.2' }],
  'spaced.example': policy('exists:%{l}.spaced.example -all'),
  'two words.spaced.example': [{ A: '127.0.0.2' }],
  'p.example': policy('exists:%{p}.p.example -all'),
  'mta.names.example.p.example': [{ A: '127.0.0.2' }],
  'exp.example': policy('-all exp=why.exp.example'),
  'why.exp.example': [{ TXT: '%{i} is not one of %{d}; see https://%{o}/spf?%{S}' }],
  'exptwo.example': policy('-all exp=two.exp.example'),
  'two.exp.example': [{ TXT: 'one' }, { TXT: 'two' }],
  'expbad.example': policy('-all exp=bad.exp.example'),
  'bad.exp.example': [{ TXT: 'broken %{' }],
  'expredirect.example': policy('redirect=exp.example exp=two.exp.example'),
  'alias.example': [{ CNAME: 'in.example' }],
  'long.example': policy(`exists:${'x'.repeat(64)}.example ip4:192.0.2.7 -all`),
};

type Row = readonly [
  sender: string,
  result: string,
  more?: { ip?: string; explanation?: string; lookups?: number },
];

const rows: readonly Row[] = [
  ['a@in.example', 'pass'],
  ['a@in.example', 'pass', { ip: six }],
  ['a@in.example', 'pass', { ip: `::ffff:${four}` }],
  ['a@out.example', 'fail'],
  ['a@soft.example', 'softfail'],
  ['a@neutral.example', 'neutral'],
  ['a@endless.example', 'neutral'],
  ['a@gone.example', 'none'],
  ['a@host.example', 'none'],
  ['a@example', 'none'],
  ['a@twice.example', 'permerror'],
  ['a@split.example', 'pass'],
  ['a@slip.example', 'permerror'],
  ['a@late.example', 'permerror'],
  ['a@lost.example', 'temperror'],
  ['a@void.example', 'fail', { lookups: 2 }],
  ['a@voids.example', 'permerror', { lookups: 3 }],
  ['a@a.example', 'pass', { lookups: 1 }],
  ['a@a.example', 'pass', { ip: six }],
  ['a@near.example', 'pass', { ip: '192.0.2.200' }],
  ['a@near.example', 'fail', { ip: '2001:db8:1::7' }],
  ['a@mx.example', 'pass'],
  ['a@manymx.example', 'permerror'],
  ['a@include.example', 'pass', { lookups: 1 }],
  ['a@fails.example', 'softfail'],
  ['a@nothing.example', 'permerror'],
  ['a@badinclude.example', 'permerror'],
  ['a@lostinclude.example', 'temperror'],
  ['a@redirect.example', 'pass', { lookups: 1 }],
  ['a@redirectnone.example', 'permerror'],
  ['a@allfirst.example', 'fail', { lookups: 0 }],
  ['a@loop.example', 'permerror'],
  ['a@eleven.example', 'pass', { lookups: 1 }],
  ['a@ten.example', 'pass', { lookups: 10 }],
  ['a@ptr.example', 'pass'],
  ['a@ptr.example', 'fail', { ip: '198.51.100.9' }],
  ['a@liar.example', 'fail'],
  ['box-tag@macro.example', 'pass'],
  ['a&b@odd.example', 'pass'],
  ['two words@spaced.example', 'pass'],
  ['a@p.example', 'pass'],
  [
    'b@exp.example',
    'fail',
    { explanation: `${four} is not one of exp.example; see https://exp.example/spf?b%40exp.example` },
  ],
  ['a@exptwo.example', 'fail', { explanation: '' }],
  ['a@expbad.example', 'fail', { explanation: '' }],
  [
    'b@expredirect.example',
    'fail',
    {
      explanation: `${four} is not one of exp.example; see https://expredirect.example/spf?b%40expredirect.example`,
    },
  ],
  ['a@alias.example', 'pass'],
  ['a@long.example', 'pass'],
  ['', 'pass'],
];

describe('check_host() over the wire', () => {
  let opened: Awaited<ReturnType<typeof openZonedata>>;
  beforeAll(async () => {
    opened = await openZonedata(zone);
  });
  afterAll(() => opened.close());

  test.for(rows)('%s: %s', async ([sender, result, { ip = four, explanation, lookups } = {}]) => {
    const seen = await evaluateSpf(openAsker(opened.dns), { ip, sender, helo: 'in.example' }, 5000);
    expect(seen).toMatchObject({ result, ...(lookups === undefined ? {} : { lookups }) });
    expect(seen.explanation ?? '').toBe(explanation ?? seen.explanation ?? '');
  });
});
