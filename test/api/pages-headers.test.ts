import { request as httpRequest } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { openService } from './kit.ts';

let port = 0;
const service = await openService({
  sites: {
    'http://own.test': (request, response) =>
      response.writeHead(301, { location: `https://own.test${request.url ?? '/'}` }).end(),
    // The proxy that ends TLS before the service.
    'https://own.test': ({ method, url, headers }, response) => {
      httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }).end();
    },
  },
  settings: { RATE_LIMIT: 'off', PUBLIC_URL: 'https://own.test' },
});
port = service.port;
afterAll(() => service.close());

test.for(['/', '/d/own.test'])('our own security-header-check finds nothing on %s', async (path) => {
  const url = encodeURIComponent(`https://own.test${path}`);
  const { body } = await service.get(`/api/tools/security-header-check?url=${url}`);
  const { grade, score, findings, observatory } = body as unknown as {
    grade: string;
    score: number;
    findings: readonly { code: string; scoreEffect: number }[];
    observatory: { score: number; grade: string };
  };
  console.log(`${path}: ${grade} ${score}, Observatory ${observatory.grade} ${observatory.score}`);
  expect(findings.filter(({ scoreEffect }) => scoreEffect < 0)).toEqual([]);
  expect([grade, observatory.grade]).toEqual(['A+', 'A+']);
  expect(observatory.score).toBeGreaterThanOrEqual(120);
});
