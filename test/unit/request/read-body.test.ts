import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Problem } from '#shared/model/problem';
import { openBodies } from '../../../api/request/read-body.ts';
import { readJson } from '../../../api/request/read-json.ts';

const wish = { types: ['application/json', 'text/plain'], mostBytes: 1000 };
const bodies = openBodies(3000);
const waiting: IncomingMessage[] = [];
const server = createServer((request, response) => {
  waiting.push(request);
  bodies.read(request, wish).then(
    ({ type, text }) => response.end(`${type} ${text}`),
    (error: unknown) => response.end(error instanceof Problem ? error.code : String(error)),
  );
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

function open(headers: Record<string, string>) {
  const { port } = server.address() as AddressInfo;
  const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers, agent: false });
  const answer = new Promise<string>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve(text));
    });
  });
  return { request, answer };
}

function post(headers: Record<string, string>, body: string | Uint8Array): Promise<string> {
  const { request, answer } = open(headers);
  request.end(body);
  return answer;
}

const plain = { 'content-type': 'text/plain' };

describe('a body', () => {
  test.for([
    ['text/plain', 'text/plain ü'],
    ['Text/Plain; charset=UTF-8', 'text/plain ü'],
    ['text/plain;charset="utf-8"', 'text/plain ü'],
    ['text/plain; charset=latin1', 'unsupported_media_type'],
    ['text/html', 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 'unsupported_media_type'],
    ['', 'unsupported_media_type'],
  ] as const)('with the type "%s": %s', async ([type, said]) => {
    expect(await post({ 'content-type': type }, 'ü')).toBe(said);
  });

  test('with a coding is refused', async () => {
    expect(await post({ ...plain, 'content-encoding': 'gzip' }, 'x')).toBe('unsupported_media_type');
  });

  test('may have its limit and no byte more, and the answer reaches who sent far more', async () => {
    expect(await post(plain, 'x'.repeat(1000))).toBe(`text/plain ${'x'.repeat(1000)}`);
    expect(await post(plain, 'x'.repeat(1001))).toBe('body_too_large');
    expect(await post({ ...plain, 'content-length': '15000' }, 'x'.repeat(15_000))).toBe('body_too_large');
  });

  test('that is not UTF-8 is refused', async () => {
    expect(await post(plain, Uint8Array.of(0xff, 0xfe))).toBe('invalid_request');
  });

  test('is refused while too many bytes are held, and taken when they are given back', async () => {
    const slow = [1, 2, 3].map(() => open(plain));
    for (const { request } of slow) request.write('x'.repeat(990));
    await expect.poll(() => waiting.filter((one) => !one.readableEnded).length).toBe(3);
    await expect.poll(() => post(plain, 'y'.repeat(500)), { timeout: 30_000 }).toBe('overloaded');
    for (const { request, answer } of slow) {
      request.end();
      expect(await answer).toContain('xxx');
    }
    expect(await post(plain, 'y'.repeat(500))).toContain('yyy');
  });
});

describe('JSON', () => {
  const schema = z.strictObject({
    name: z.string('Give a text.'),
    list: z.array(z.string('Give a text.')).optional(),
    options: z.record(z.string(), z.unknown()).optional(),
  });
  const faultsOf = (text: string) => {
    try {
      readJson(text, schema);
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return (error.errors ?? []).map(({ in: place, name }) => `${place} ${name}`);
    }
  };
  test.for([
    ['{"name":"a"}', []],
    ['{', ['body ']],
    ['[]', ['body ']],
    ['{"name":1,"list":["a",2]}', ['body /name', 'body /list/1']],
    ['{"name":"a","more":1,"a/b~c":2}', ['body /more', 'body /a~1b~0c']],
    ['{"name":"a","__proto__":{"list":[]}}', ['body /__proto__']],
    ['{"name":"a","options":{"__proto__":1}}', ['body /options/__proto__']],
  ] as const)('%s has the faults %j', ([text, faults]) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});
