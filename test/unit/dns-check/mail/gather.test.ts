import { describe, expect, test } from 'vitest';
import type { DnsCheckOptions } from '#shared/catalogue/dns-check/options';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import { questionLimit } from '../../../../worker/dns/asker.ts';
import type { DnsProbe } from '../../../../worker/probes/dns/port.ts';
import type { HttpProbe } from '../../../../worker/probes/http/port.ts';
import { inRounds } from '../rounds.ts';
import { goodPolicy, goodZone } from './good-zone.ts';
import { bodyOf, contextOf, stubDns, stubHttp, timeout, type ZoneLiteral } from './zone-literal.ts';

const http = stubHttp({ body: bodyOf(goodPolicy) } as Parameters<typeof stubHttp>[0]);

// A guard against what never ends or grows with the square: figures of speed are no matter of a test.
const guardMs = 8000;

function gather(dns: DnsProbe, options: Partial<DnsCheckOptions> = {}, limitMs?: number) {
  return gatherMail(contextOf(dns, http, options), limitMs);
}

describe('what is asked', () => {
  test('no question is asked twice', async () => {
    const asked: string[] = [];
    await gather(stubDns(goodZone, { asked }), { ip: '192.0.2.25' });
    expect(asked.length).toBe(new Set(asked).size);
    expect(asked.length).toBeLessThan(120);
  });

  test('all that is known from the domain alone is under way before the first answer', async () => {
    const asked: string[] = [];
    const dns: DnsProbe = {
      ask: (question) => {
        asked.push(`${question.name} ${question.type}`);
        return new Promise(() => {});
      },
    };
    await gather(dns, {}, 5);
    expect(asked).toEqual(
      expect.arrayContaining([
        'good.test TXT',
        'good.test MX',
        'good.test NS',
        '_dmarc.good.test TXT',
        '_dmarc.test TXT',
        '_domainkey.good.test TXT',
        'default._domainkey.good.test TXT',
        '_mta-sts.good.test TXT',
        'mta-sts.good.test A',
        '_smtp._tls.good.test TXT',
        'default._bimi.good.test TXT',
      ]),
    );
  });

  test('the domain’s own records, and addresses, are asked with DNSSEC; other texts without', async () => {
    const secure: string[] = [];
    const stub = stubDns(goodZone);
    await gather({
      ask: (question, options) => {
        if (options?.dnssecOk === true && question.name !== 'good.test') secure.push(question.type);
        return stub.ask(question, options);
      },
    });
    expect([...new Set(secure)].toSorted()).toEqual(['A', 'AAAA', 'SOA', 'TLSA']);
  });

  const asked = async (zone: ZoneLiteral): Promise<object[]> => {
    const requests: object[] = [];
    const counting: HttpProbe = {
      ask: (request) => {
        requests.push(request);
        return http.ask(request);
      },
    };
    await gatherMail(contextOf(stubDns(zone), counting));
    return requests;
  };
  const whole = { bodyLimitBytes: 65_537, skipRedirectBody: true, asBytes: true };
  const policy = {
    url: 'https://mta-sts.good.test/.well-known/mta-sts.txt',
    ...whole,
    wantsValidity: true,
  };

  test('without a BIMI record only the policy host is asked over HTTP, once, for 64 KB', async () => {
    expect(await asked({ ...goodZone, 'default._bimi.good.test TXT': null })).toEqual([policy]);
  });

  test.for(['v=BIMI1; l=; a=;', 'v=BIMI1; l=http://good.test/x.svg', ['v=BIMI1; l=', 'v=BIMI1; l=']])(
    'the BIMI record %s names nothing to be fetched',
    async (record) => {
      expect(await asked({ ...goodZone, 'default._bimi.good.test TXT': record })).toEqual([policy]);
    },
  );

  test('logo and mark of a BIMI record are asked for once each, as bytes, and 64 KB of them', async () => {
    expect(await asked(goodZone)).toEqual([
      policy,
      { ...whole, url: 'https://good.test/logo.svg' },
      { ...whole, url: 'https://good.test/mark.pem' },
    ]);
  });
});

describe('one message', () => {
  test.for([
    ['192.0.2.25', 'pass'],
    ['203.0.113.1', 'fail'],
    ['2001:db8::25', 'pass'],
  ] as const)('from %s: %s', async ([ip, result]) => {
    const evidence = await gather(stubDns(goodZone), { ip, sender: 'a@good.test', helo: 'mx1.good.test' });
    const { fields } = assessMail(evidence);
    expect(fields.spf.effectiveFor).toMatchObject({
      ip,
      sender: 'a@good.test',
      helo: 'mx1.good.test',
      result,
    });
  });

  test('the explanation of a failing sender is told', async () => {
    const zone = {
      ...goodZone,
      'good.test TXT': 'v=spf1 -all exp=why.good.test',
      'why.good.test TXT': '%{i} is not one of ours',
    };
    const { message } = await gather(stubDns(zone), { ip: '203.0.113.1' });
    expect(message).toMatchObject({
      result: 'fail',
      explanation: '203.0.113.1 is not one of ours',
      sender: 'postmaster@good.test',
    });
  });

  test('a server that gives no answer is a temperror', async () => {
    const { message } = await gather(stubDns({ ...goodZone, 'good.test TXT': timeout }), {
      ip: '203.0.113.1',
    });
    expect(message?.result).toBe('temperror');
  });

  test('without an address there is no verdict', async () => {
    expect((await gather(stubDns(goodZone), { sender: 'a@good.test', ip: 'x' })).message).toBeNull();
  });
});

describe('trouble', () => {
  test('servers that never answer cost the time limit, and every part is unknown', async () => {
    const silent: DnsProbe = { ask: () => new Promise(() => {}) };
    const start = performance.now();
    const evidence = await gather(silent, { ip: '192.0.2.1' }, 50);
    expect(performance.now() - start).toBeLessThan(guardMs);
    const { fields, score, isPartial } = assessMail(evidence);
    expect(isPartial).toBe(true);
    expect([fields.spf.state, fields.dmarc.state, fields.mx.state, fields.mtaSts.state, score]).toEqual([
      'unknown',
      'unknown',
      'unknown',
      'unknown',
      null,
    ]);
  });

  test('one silent server does not hold back the rest', async () => {
    const stub = stubDns(goodZone);
    const dns: DnsProbe = {
      ask: (question, options) =>
        question.name === '_smtp._tls.good.test' ? new Promise(() => {}) : stub.ask(question, options),
    };
    const { fields, score } = assessMail(await gather(dns, {}, 600));
    expect([fields.tlsRpt.state, fields.spf.state, fields.mx.state, score]).toEqual([
      'unknown',
      'ok',
      'ok',
      100,
    ]);
  });

  test('a logo that never comes leaves nothing but itself open', async () => {
    const slow: HttpProbe = {
      ask: (request) => (request.url.endsWith('.svg') ? new Promise(() => {}) : http.ask(request)),
    };
    const { verdicts, fields, score } = assessMail(await gatherMail(contextOf(stubDns(goodZone), slow), 600));
    expect(verdicts['bimi-logo-unreachable']).toHaveProperty('notTested');
    expect(verdicts['bimi-certificate-unreachable']).toHaveProperty('notTested');
    expect([fields.bimi.state, fields.bimi.logoFile, score]).toEqual(['ok', null, 100]);
  });

  test('a run that is aborted ends with its reason', async () => {
    const dns: DnsProbe = { ask: () => Promise.reject(new Error('the run was aborted')) };
    await expect(gather(dns)).rejects.toThrow('the run was aborted');
  });

  test('a hostile record costs no more than the limit of questions', async () => {
    const bomb = `v=spf1 ${Array.from({ length: 3000 }, (_, index) => `a:h${index}.evil.test`).join(' ')} -all`;
    const zone: ZoneLiteral = { ...goodZone, 'good.test TXT': bomb };
    const asked: string[] = [];
    const evidence = await gather(stubDns(zone, { asked }));
    expect(asked.length).toBeLessThanOrEqual(questionLimit);
    expect(assessMail(evidence).fields.spf.lookups).toBe(200);
  });

  test('records that include each other without end are cut off', async () => {
    const all = Array.from({ length: 9 }, (_, index) => `include:e${index}.test`).join(' ');
    const zone: ZoneLiteral = {
      ...goodZone,
      'good.test TXT': `v=spf1 ${all} -all`,
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [`e${index}.test TXT`, `v=spf1 ${all} -all`]),
      ),
    };
    const start = performance.now();
    const { verdicts } = assessMail(await gather(stubDns(zone)));
    expect(verdicts['spf-too-many-lookups']).toHaveProperty('broken');
    expect(performance.now() - start).toBeLessThan(guardMs);
  });

  test('names of the target that every object has do no harm', async () => {
    const zone: ZoneLiteral = {
      ...goodZone,
      'good.test TXT': 'v=spf1 include:__proto__.constructor.test mx -all',
      'good.test MX': ['10 __proto__', '20 constructor'],
      '_dmarc.good.test TXT': 'v=DMARC1; p=reject; __proto__=x; constructor=y; toString=z',
    };
    const evidence = await gather(stubDns(zone), { dkimSelector: ['__proto__', 'constructor'] });
    const { fields } = assessMail(JSON.parse(JSON.stringify(evidence)));
    expect(fields.mx.hosts.map(({ host }) => host)).toEqual(['__proto__', 'constructor']);
  });
});

test('the same evidence gives the same report', async () => {
  const evidence = await gather(stubDns(goodZone));
  expect(JSON.stringify(assessMail(evidence))).toBe(
    JSON.stringify(assessMail(JSON.parse(JSON.stringify(evidence)))),
  );
});

describe('round trips', () => {
  const includes = (count: number) =>
    Array.from({ length: count }, (_, index) => `include:f${index}.test`).join(' ');
  const leaves = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`f${index}.test TXT`, 'v=spf1 -all']),
  );
  const chain = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      `f${index}.test TXT`,
      index < 9 ? `v=spf1 include:f${index + 1}.test -all` : 'v=spf1 -all',
    ]),
  );

  // Domain, mail hosts, names of their addresses, addresses of those names.
  test.for([
    ['a good domain', {}, 4],
    ['ten flat includes', { 'good.test TXT': `v=spf1 ${includes(10)} -all`, ...leaves }, 4],
    ['ten nested includes', { 'good.test TXT': 'v=spf1 include:f0.test -all', ...chain }, 11],
  ] as const)('%s takes few', async ([, changes, rounds]) => {
    expect(await countRounds({ ...goodZone, ...changes })).toBeLessThanOrEqual(rounds);
  });
});

async function countRounds(zone: ZoneLiteral): Promise<number> {
  const { probe, rounds } = inRounds(stubDns(zone));
  await gather(probe);
  return rounds();
}

describe('records of 60 kB', () => {
  const tags = Array.from({ length: 6000 }, (_, index) => `${letters(index)}=é`).join(';');
  const uris = Array.from({ length: 4000 }, (_, index) => `mailto:a@${letters(index)}.x`).join(',');
  const addresses = Array.from({ length: 4000 }, (_, index) => `ip4:198.51.${index >> 8}.${index & 255}`);

  // Each answer comes alone, so that the domain is read again after each.
  test.for([
    ['tags of a DMARC record', { '_dmarc.good.test TXT': `v=DMARC1; p=reject; ${tags}` }],
    ['semicolons of a DMARC record', { '_dmarc.good.test TXT': `v=DMARC1; p=reject${';'.repeat(60_000)}` }],
    ['addresses of a DMARC record', { '_dmarc.good.test TXT': `v=DMARC1; p=reject; rua=${uris}` }],
    ['tags of every DKIM key', { '*._domainkey.good.test TXT': `v=DKIM1; p=; ${tags}` }],
    ['words of an SPF record', { 'good.test TXT': `v=spf1 ${'x '.repeat(30_000)}-all` }],
    ['addresses of an SPF record', { 'good.test TXT': `v=spf1 ${addresses.join(' ')} -all` }],
    ['TLS report addresses', { '_smtp._tls.good.test TXT': `v=TLSRPTv1; rua=${uris}` }],
    ['tags of a BIMI record', { 'default._bimi.good.test TXT': `v=BIMI1; ${tags}` }],
  ] as const)('%s come to an end, and to a report of less than 200 kB', async ([, changes]) => {
    const stub = stubDns({ ...goodZone, ...changes });
    let last: Promise<void> = Promise.resolve();
    const start = performance.now();
    const evidence = await gather({
      ask: async (question, options) => {
        last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
        await last;
        return stub.ask(question, options);
      },
    });
    const { fields } = assessMail(evidence);
    expect(performance.now() - start).toBeLessThan(guardMs);
    expect(JSON.stringify(fields).length).toBeLessThan(200_000);
  });
});

// A name of letters alone, another for each number.
function letters(number: number): string {
  return number
    .toString(26)
    .split('')
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
    .join('');
}
