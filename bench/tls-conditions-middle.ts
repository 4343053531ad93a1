import type { ReadHello } from '../test/unit/ssl-check/read-client-hello.ts';
import { type Judge, openMiddlebox, type WayBack } from './tls-conditions-fronts.ts';
import { nginx } from './tls-conditions-servers.ts';
import type { Condition, Made } from './tls-conditions-shape.ts';
import { type Identities, opener, type Start } from './tls-peers-servers.ts';

const careful = nginx(['ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers ECDHE+AESGCM;']);
const old = nginx([
  'ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3; ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA:AES128-SHA:@SECLEVEL=0;',
]);
const tls12 = nginx(['ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA;']);
const pass: Judge = () => 'pass';

type More = {
  readonly start?: Start;
  readonly other?: Start;
  readonly otherOf?: (made: Made) => Identities;
  readonly way?: WayBack;
};
const behind =
  (judge: Judge, { start = careful, other, otherOf, way = {} }: More = {}): Condition['open'] =>
  async (made) => {
    const first = await opener(start)(made.usual);
    const second = other && (await opener(other)(otherOf?.(made) ?? made.usual));
    return openMiddlebox(second ? [first, second] : [first], judge, way);
  };
const expired = (made: Made): Identities => ({
  ...made.usual,
  rsa: [made.issue({ key: 'rsa2048', notAfterDays: -1 }), made.intermediate],
});
const isOld = (hello: ReadHello | null) => hello !== null && hello.version < 0x0303;
const isEven = (count: number) => count % 2 === 0;
const grease = (id: number) => (id & 0x0f0f) === 0x0a0a && id >> 8 === (id & 0xff);
const isGreased = (hello: ReadHello | null) =>
  hello !== null && [...hello.suites, ...hello.groups, ...hello.extensions].some(grease);

/** Middleboxes before good servers: what an expert would say of the site behind them. */
export const middleboxes: readonly Condition[] = [
  {
    name: 'alerts that come as resets, as IIS does',
    open: behind(pass, { way: { alerts: 'reset' } }),
    letter: 'A+',
    broken: [],
    fields: { suitesComplete: true },
  },
  {
    name: 'the same before an old server',
    open: behind(pass, { start: old, way: { alerts: 'reset' } }),
    letter: 'B',
    broken: ['tls10-offered', 'tls11-offered', 'suite-cbc-offered', 'suite-without-forward-secrecy-offered'],
  },
  {
    name: 'alerts that come as an end',
    open: behind(pass, { way: { alerts: 'close' } }),
    letter: 'A+',
    broken: [],
    fields: { suitesComplete: true },
  },
  {
    name: 'alerts that never come',
    open: behind(pass, { way: { alerts: 'silence' } }),
    letter: null,
    broken: [],
  },
  {
    name: 'old versions are dropped',
    open: behind((hello) => (isOld(hello) ? 'silence' : 'pass')),
    letter: 'A',
    broken: [],
  },
  {
    name: 'old versions are reset',
    open: behind((hello) => (isOld(hello) ? 'reset' : 'pass')),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'what is no ClientHello is dropped',
    open: behind((hello) => (hello === null ? 'silence' : 'pass')),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'hellos with values that mean nothing are reset',
    open: behind((hello) => (isGreased(hello) ? 'reset' : 'pass')),
    letter: 'A+',
    broken: ['chrome-cannot-connect', 'safari-cannot-connect'],
  },
  {
    name: 'hellos without a name are reset',
    open: behind((hello) => (hello?.servername === null ? 'reset' : 'pass')),
    letter: 'A+',
    broken: ['sni-required'],
  },
  {
    name: 'hellos without a name are dropped',
    open: behind((hello) => (hello?.servername === null ? 'silence' : 'pass')),
    letter: 'A+',
    broken: ['sni-required'],
  },
  {
    name: 'hellos without protocols are closed',
    open: behind((hello) => (hello !== null && hello.alpn.length === 0 ? 'close' : 'pass')),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'hellos longer than a packet are dropped',
    open: behind((hello) => ((hello?.bytes ?? 0) > 1460 ? 'silence' : 'pass')),
    letter: 'A',
    broken: ['client-hello-size-intolerance'],
  },
  {
    name: 'hellos longer than a packet are reset',
    open: behind((hello) => ((hello?.bytes ?? 0) > 1460 ? 'reset' : 'pass')),
    letter: 'A',
    broken: ['client-hello-size-intolerance', 'browsers-cannot-connect'],
  },
  {
    name: 'every second connection goes to a server without TLS 1.3',
    open: behind((_, count) => (isEven(count) ? 'pass' : 'other'), { other: tls12 }),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'every second connection is shown an expired certificate',
    open: behind((_, count) => (isEven(count) ? 'pass' : 'other'), { other: careful, otherOf: expired }),
    letter: 'T',
    broken: ['certificate-expired'],
    either: ['session-not-resumed'],
  },
  {
    name: 'every fifth connection is shown an expired certificate',
    open: behind((_, count) => (count % 5 === 4 ? 'other' : 'pass'), { other: careful, otherOf: expired }),
    letter: 'T',
    broken: ['certificate-expired'],
    either: ['session-not-resumed'],
  },
  {
    name: 'every third connection is reset',
    open: behind((_, count) => (count % 3 === 2 ? 'reset' : 'pass')),
    letter: 'A',
    broken: [],
  },
  {
    name: 'after twenty connections all are reset',
    open: behind((_, count) => (count >= 20 ? 'reset' : 'pass')),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'after twenty connections all are dropped',
    open: behind((_, count) => (count >= 20 ? 'silence' : 'pass')),
    letter: 'A+',
    broken: [],
  },
  {
    name: 'after eight connections all get internal_error',
    open: behind((_, count) => (count >= 8 ? { alert: 80 } : 'pass')),
    letter: 'A',
    broken: [],
  },
  {
    name: 'each answer takes 400 ms more',
    open: behind(pass, { way: { delayMs: 400 } }),
    letter: 'A+',
    broken: [],
    fields: { suitesComplete: true },
  },
  {
    name: 'answers in pieces of 40 bytes',
    open: behind(pass, { way: { pieceBytes: 40 } }),
    letter: 'A+',
    broken: [],
    fields: { suitesComplete: true },
  },
  {
    name: 'TLS 1.3 is taken out by a box that alerts',
    open: behind(
      (hello) =>
        hello?.versions.includes(0x0304) === true && !hello.versions.includes(0x0303)
          ? { alert: 70 }
          : 'pass',
      { start: tls12 },
    ),
    letter: 'A-',
    broken: ['tls13-missing', 'suite-cbc-offered'],
  },
  {
    name: 'hellos of TLS 1.3 alone are dropped',
    open: behind((hello) =>
      hello?.versions.includes(0x0304) === true && !hello.versions.includes(0x0303) ? 'silence' : 'pass',
    ),
    letter: 'A+',
    broken: [],
  },
];
