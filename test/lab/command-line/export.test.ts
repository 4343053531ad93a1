import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
// diag export: a report as a file, byte for byte.
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listen } from '#shared/lifecycle/listen';
import { diag } from './kit.ts';

/** What no text is: every byte. */
const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
const asked: string[] = [];
const server = createServer(({ url = '' }, response) => {
  asked.push(url);
  // The first answer of a service that has to print it yet.
  if (asked.length === 1)
    response
      .writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '0' })
      .end('{"code":"overloaded","detail":"The PDF is not ready yet. Repeat the GET."}');
  else response.writeHead(200, { 'content-type': 'application/pdf' }).end(bytes);
});
const environment = { DIAG_SERVER: `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}` };
const folder = mkdtempSync(join(tmpdir(), 'diag-export-'));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test('a PDF is waited for, and written as it came', async () => {
  const out = join(folder, 'report.pdf');
  const { code, stderr } = await diag(['export', '0'.repeat(32), '--format', 'pdf', '--out', out], {
    environment,
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(readFileSync(out).equals(bytes)).toBe(true);
  expect(asked).toEqual(Array.from({ length: 2 }, () => `/api/reports/${'0'.repeat(32)}/export?format=pdf`));
});
