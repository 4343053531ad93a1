import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openService } from './kit.ts';

const service = await openService({ settings: { RATE_LIMIT: 'off', CORS_ORIGINS: '*' } });
afterAll(() => service.close());

/** CR LF, NUL and U+0100, which a header field must never take over as they are, in each way to write them. */
const bad = ['%0D%0AX-Evil:%20yes', '%00', '%C4%80', '%E2%80%A8'];
const inputs: readonly ((text: string) => string)[] = [
  (text) => `/api/tools/dns-check/a${text}.test?wait=0`,
  (text) => `/api/tools/redirect-check?url=http%3A%2F%2Fa.test%2F${text}&wait=0`,
  (text) => `/api/tools/redirect-check?url=http%3A%2F%2Fa.test%2F&userAgent=${text}`,
  (text) => `/api/tools/dns-check/a.test?dkimSelector=a${text}&wait=0`,
  (text) => `/api/tools/dns-check/a.test?wait=${text}`,
  (text) => `/api/tools/dns-check/a.test?${text}=1`,
  (text) => `/api/jobs/${text}`,
  (text) => `/api/reports/${text}`,
  (text) => `/api/reports?target=${text}`,
  (text) => `/api/badge/a${text}.svg?label=${text}`,
  (text) => `/problems/${text}`,
  (text) => `/d/a${text}.test`,
  (text) => `/d/a.test/${text}?job=${text}`,
  (text) => `/u/redirect-check?url=http%3A%2F%2Fa.test%2F${text}&job=${text}`,
  (text) => `/r/${text}?format=${text}`,
  (text) => `/go?target=${text}&check=${text}`,
  (text) => `/go?target=http%3A%2F%2Fa.test%2F${text}`,
  (text) => `/assets/${text}`,
];
const paths = inputs.flatMap((input) => bad.map((text) => input(text)));

/** The header section of an answer, one character a byte. */
function headOf(path: string, fields = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: service.port, host: '127.0.0.1' }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${fields}\r\n`, 'latin1'),
    );
    socket.setEncoding('latin1').on('data', (piece: string) => void (answer += piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer.split('\r\n\r\n')[0] ?? ''));
  });
}

const plain = /^HTTP\/1\.1 (?:[2-4]\d\d|503) [\x20-\x7e]*(?:\r\n[\w-]+: [\x20-\x7e]*)*$/;

test.for(paths)('no field of the answer to %s has another character than visible ASCII', async (path) => {
  const head = await headOf(path);
  expect(head).toMatch(plain);
  expect(head).not.toMatch(/^x-evil/im);
});

const names = ['X-Request-Id', 'Origin', 'Prefer', 'If-None-Match', 'Accept', 'traceparent', 'Authorization'];
test.for(
  names.flatMap((name) => ['a\u0100'.normalize(), 'a\u00ff', 'a\tb'].map((text) => [name, text] as const)),
)('what a caller writes in %s comes back in no field as %j', async ([name, text]) => {
  const sent = Buffer.from(text).toString('latin1');
  expect(await headOf('/api/tools/dns-check/b.test?wait=0', `${name}: ${sent}\r\n`)).toMatch(plain);
});
