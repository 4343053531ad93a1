import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Response } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Caller } from '#shared/limits/caller';
import { Problem } from '#shared/model/problem';
import { bodyBounds } from '../../../api/request/body-bounds.ts';
import { endAnswer } from '../../../api/request/connections.ts';
import { openBodies } from '../../../api/request/read-body.ts';
import { readFields } from '../../../api/request/read-json.ts';

const longest = bodyBounds.batch.bytes;
const paid: number[] = [];
const quotas = { takeWrites: async (_caller: unknown, points: number) => void paid.push(points) };
const bodies = openBodies(quotas, { inAll: 3 * longest, ofCaller: 2 * longest });
/** Connections of the server, by the path that each asked for. */
const connections: { readonly path: string; readonly socket: Socket }[] = [];
const server = createServer((request, response) => {
  connections.push({ path: request.url ?? '', socket: request.socket });
  // The account of a caller stands in the path here.
  const id = request.url ?? '';
  const isAnonymous = id.startsWith('/anonymous');
  const caller = { id, kind: isAnonymous ? 'anonymous' : 'token', levels: [] } as unknown as Caller;
  response.setHeader('Connection', 'close');
  bodies.read({ request, response: response as unknown as Response, caller }, 'batch').then(
    ({ type, text }) => response.end(`${type} ${text}`),
    (error: unknown) => {
      const text =
        error instanceof Problem
          ? [error.code, ...(error.errors ?? []).map(({ name }) => name)].join(' ').trim()
          : String(error);
      response.setHeader('Content-Length', text.length);
      endAnswer(request, response, text);
    },
  );
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

function open(headers: Record<string, string>, path = '/one') {
  const { port } = server.address() as AddressInfo;
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
  const answer = new Promise<string>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve(text));
    });
  });
  return { request, answer };
}

function post(headers: Record<string, string>, body: string | Uint8Array, path?: string): Promise<string> {
  const { request, answer } = open(headers, path);
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
    expect(await post(plain, 'x'.repeat(longest))).toBe(`text/plain ${'x'.repeat(longest)}`);
    expect(await post(plain, 'x'.repeat(longest + 1))).toBe('body_too_large');
    const chunked = { ...plain, 'transfer-encoding': 'chunked' };
    expect(await post(chunked, 'x'.repeat(longest + 1))).toBe('body_too_large');
    expect(await post(chunked, 'x'.repeat(5 * longest))).toBe('body_too_large');
  });

  test('costs a point for each 64 kB, whether it says its length or not', async () => {
    for (const headers of [plain, { ...plain, 'transfer-encoding': 'chunked' }]) {
      paid.length = 0;
      await post(headers, 'x'.repeat(65_535));
      await post(headers, 'x'.repeat(longest));
      expect(paid.reduce((sum, points) => sum + points)).toBe(30);
    }
  });

  test('that says to be too long is refused before it comes', async () => {
    const { request, answer } = open({ ...plain, 'content-length': '50000000' });
    request.write('x');
    expect(await answer).toBe('body_too_large');
    request.destroy();
  });

  test('that comes byte by byte is ended early', async () => {
    const { request, answer } = open({ ...plain, 'content-length': '100' });
    const timer = setInterval(() => request.write('x'), 1000);
    const start = performance.now();
    expect(await answer.finally(() => clearInterval(timer))).toBe('invalid_request');
    expect(performance.now() - start).toBeLessThan(15_000);
    request.destroy();
  });

  test.for([
    ['application/json', `[${'[],'.repeat(300_000)}1]`, ''],
    ['application/json', '['.repeat(500_000), '/0/0/0/0/0/0/0/0'],
    ['application/json', `{"targets":[${'1,'.repeat(500_000)}1]}`, '/targets'],
    ['application/json', `{"a":"]]","options":{"x":[${'['.repeat(9)}`, '/options/x/0/0/0/0/0/0'],
    ['application/json', `{${Array.from({ length: 150_000 }, (_, at) => `"f${at}":1`).join(',')}}`, ''],
    ['application/x-ndjson', '"a"\n'.repeat(400_000), '/targets'],
    ['application/x-ndjson', `"a"\n${'['.repeat(500_000)}`, '/0/0/0/0/0/0/0/0'],
    ['text/plain', 'a\r'.repeat(900_000), '/targets'],
  ] as const)('of %s, number %$, is refused at the field that has too much', async ([type, body, name]) => {
    expect(await post({ 'content-type': type }, body)).toBe(`invalid_request ${name}`.trim());
  });

  test('may have brackets and quotes in its texts, and lines without anything', async () => {
    const body = JSON.stringify({ targets: ['[[[[[[[[[["{{{{{{{{{{'.repeat(1000), '\\"'.repeat(1000)] });
    expect(await post({ 'content-type': 'application/json' }, body)).toBe(`application/json ${body}`);
    expect(await post(plain, `a${'\n \r\n'.repeat(100_000)}b`)).toContain('text/plain a');
  });

  test('that is not UTF-8 is refused', async () => {
    expect(await post(plain, Uint8Array.of(0xff, 0xfe))).toBe('invalid_request');
  });

  test('finds room while another caller, or all without a token, hold as much as they may', async () => {
    const body = 'x'.repeat(longest);
    const hold = async (path: string) => {
      const before = connections.length;
      const one = open({ ...plain, 'content-length': String(longest) }, path);
      one.request.write('x'.repeat(longest - 10));
      // What comes next finds it there: one that comes in between takes its room, and it is the one that is refused.
      const received = () => connections.slice(before).find((each) => each.path === path)?.socket.bytesRead;
      await expect.poll(received, { timeout: 30_000 }).toBeGreaterThan(longest);
      return one;
    };
    const slow = [await hold('/one'), await hold('/one')];
    expect(await post(plain, body, '/one')).toBe('overloaded');
    expect(await post(plain, body, '/two')).toContain('xxx');
    for (const { request, answer } of slow) {
      request.end('x'.repeat(10));
      expect(await answer).toContain('xxx');
    }
    const nameless = [await hold('/anonymous1'), await hold('/anonymous2')];
    expect(await post(plain, body, '/anonymous3')).toBe('overloaded');
    expect(await post(plain, 'x', '/one')).toContain('x');
    for (const { request, answer } of nameless) {
      answer.catch(() => undefined);
      request.destroy();
    }
    await expect.poll(() => post(plain, body, '/anonymous3'), { timeout: 30_000 }).toContain('xxx');
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
      return readFields(text, schema).faults.map(({ in: place, name }) => `${place} ${name}`);
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
    ['{"name":"a","options":{"deep":[{"__proto__":1}]}}', ['body /options/deep/0/__proto__']],
    ['{"name":"a","more":1,"a/b~c":2}', ['body /more', 'body /a~1b~0c']],
    ['{"name":"a","__proto__":{"list":[]}}', ['body /__proto__']],
    ['{"name":"a","options":{"__proto__":1}}', ['body /options/__proto__']],
  ] as const)('%s has the faults %j', ([text, faults]) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});
