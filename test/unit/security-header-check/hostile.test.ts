import { expect, test } from 'vitest';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { readDocument } from '../../../worker/checks/security-header-check/gather/read-document.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import {
  answer,
  chain,
  cors,
  csp,
  html,
  meta,
  metaCsp,
  page,
  redirect,
  script,
  see,
} from './observations.ts';

const kib64 = 65_536;
const fill = (text: string) => text.repeat(Math.floor(kib64 / text.length));
const many = (count: number, line: (at: number) => HeaderLine) =>
  page(...Array.from({ length: count }, (_, at) => line(at)));
const longHops = Array.from({ length: 20 }, (_, at) =>
  redirect(`https://site.test/${at}`, `https://site.test/${at + 1}`, ['X-Filler', fill('x')]),
);

const responses: readonly (readonly [name: string, evidence: HeaderEvidence])[] = [
  ['64 KiB of one header', page(['X-Filler', fill('x')])],
  ['64 KiB of one-letter headers', many(10_000, () => ['a', 'b'])],
  ['64 KiB of different headers', many(4000, (at) => [`X-${at}`, '10.0.0.1'])],
  ['64 KiB of cookies', many(4000, (at) => ['Set-Cookie', `s${at}=1`])],
  ['one cookie of 64 KiB of attributes', page(['Set-Cookie', `a=1${fill('; Domain=a')}`])],
  ['a Domain that is no host at all', page(['Set-Cookie', 'a=1; Domain=\u00e9 \u00e9'])],
  ['a cookie name of 64 KiB', page(['Set-Cookie', `${fill('aB')}=1`])],
  ['64 KiB of HSTS', page(['Strict-Transport-Security', fill('max-age="1\\";')])],
  ['thousands of HSTS lines', many(2000, (at) => ['Strict-Transport-Security', `max-age=${at}`])],
  ['64 KiB of one-letter directives', page(csp(fill('a;')))],
  [
    '64 KiB of unknown directives',
    page(csp(Array.from({ length: 6000 }, (_, at) => `script-sr${at} x`).join(';'))),
  ],
  ['64 KiB of one-letter sources', page(csp(`script-src ${fill('a ')}`))],
  [
    '64 KiB of different short sources',
    page(csp(`script-src ${Array.from({ length: 15_000 }, (_, at) => at.toString(36)).join(' ')}`)),
  ],
  [
    '64 KiB of hosts',
    page(csp(`script-src ${Array.from({ length: 4000 }, (_, at) => `*.h${at}.test`).join(' ')}`)),
  ],
  ['64 KiB of sources that csp_evaluator cannot read', page(csp(`script-src ${fill('https://[ ')}`))],
  ['64 KiB of policies', page(csp(fill('img-src a,')))],
  [
    'thousands of policies in meta elements',
    see({ elements: Array.from({ length: 2000 }, () => metaCsp("script-src 'self'; x y")) }),
  ],
  ['64 KiB of nonces', page(csp(`script-src ${fill("'nonce-abcdefghijkl' ")}`))],
  [
    '64 KiB of a dictionary',
    page(['Permissions-Policy', Array.from({ length: 6000 }, (_, at) => `f${at}=*`).join(', ')]),
  ],
  [
    '64 KiB of open brackets',
    page(['Permissions-Policy', fill('(')], ['Cross-Origin-Opener-Policy', fill('"')]),
  ],
  ['64 KiB of referrer policies', page(['Referrer-Policy', fill('origin,')])],
  ['64 KiB of X-Frame-Options', page(['X-Frame-Options', fill('DENY,')])],
  [
    'all bytes beyond ASCII',
    page(['X-Name', fill('\u00ff')], csp(fill('\u00ff;')), ['Location', fill('\u00ff')]),
  ],
  ['twenty hops of 64 KiB', see({ https: chain([...longHops, answer('https://site.test/20', [html])]) })],
  [
    'thousands of scripts',
    see({
      elements: Array.from({ length: 2000 }, (_, at) =>
        script({ src: `https://h${at}.test/a.js`, integrity: 'x' }),
      ),
    }),
  ],
  [
    'referrer elements by the thousand',
    see({ elements: Array.from({ length: 2000 }, () => meta({ name: 'referrer', content: 'x' })) }),
  ],
  [
    '64 KiB of CORS answers',
    see({
      cors: [cors(Array.from({ length: 3000 }, (): HeaderLine => ['Access-Control-Allow-Origin', 'a']))],
    }),
  ],
];

test.for(responses)('%s: judged in time, in a report of bounded size', ([, evidence]) => {
  const before = process.threadCpuUsage();
  const assessment = assessHeaders(evidence);
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1500);
  expect(JSON.stringify(assessment).length).toBeLessThan(2_500_000);
});

// Each 512 KiB of a page; the bound is CPU time of this thread, on a machine that does other things too.
const slow: readonly (readonly [name: string, policy: string])[] = [
  ['slashes', '/'.repeat(16_370)],
  ['encoded slashes', '%2f'.repeat(5400)],
  ['encoded letters', '/%41'.repeat(4000)],
  ['one-letter paths', '/x '.repeat(5400)],
  ['nonces', "'nonce-a' ".repeat(1600)],
];

test.for(slow)('32 policies of 16 kB of %s in a page block nobody', ([, sources]) => {
  const html = `<meta http-equiv=Content-Security-Policy content="img-src ${sources}">`.repeat(32);
  const document = readDocument(html, 'https://site.test/');
  const https = { ...chain([answer('https://site.test/')]), document };
  const before = process.threadCpuUsage();
  assessHeaders(see({ https }));
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(500);
});

test('what hostile names there are, nothing is set on Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const evidence = see({
    headers: [
      html,
      ...names.flatMap((name): HeaderLine[] => [
        [name, 'polluted'],
        ['Set-Cookie', `${name}=polluted; ${name}=polluted`],
        ['Strict-Transport-Security', `${name}=polluted`],
        ['Permissions-Policy', `${name}=polluted`],
        ['Cache-Control', `${name}=polluted`],
        ['Reporting-Endpoints', `${name}="polluted"`],
        ['Report-To', `{"${name}": {"polluted": 1}, "group": "${name}"}`],
        csp(`${name} polluted; report-to ${name}`),
      ]),
    ],
    elements: names.map((name) => metaCsp(`${name} polluted`)),
  });
  expect(() => JSON.stringify(assessHeaders(evidence))).not.toThrow();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
