import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openService, redirectPath } from '../../api/kit.ts';
import { makeAuthority } from '../../lab/kit/certificates.ts';
import { openTestBrowser } from './kit.ts';

let loads = 0;
const sites = {
  'http://a.test': (
    _request: unknown,
    response: { writeHead(status: number): { end(text: string): void } },
  ) => {
    loads += 1;
    response.writeHead(200).end('<p>hello');
  },
};
const settings = { RATE_LIMIT: 'off' };
const browser = await openTestBrowser({ takesAnyCertificate: true });
const service = await openService({ sites, settings });
const certificate = await (await makeAuthority()).issue(['localhost', '127.0.0.1']);
const opened: Server[] = [];
afterAll(async () => {
  await browser.close();
  for (const server of opened) server.close();
  await service.close();
});

async function listen(server: Server): Promise<number> {
  opened.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Statuses of the service's answers, by the path that was asked for. */
const answered = new Map<string, number>();
/** The service behind TLS, as behind a proxy that keeps Host; plain, it only notes what was answered. */
const pass: RequestListener = (request, response) => {
  const { method, url: path = '', headers } = request;
  const onward = httpRequest({ port: service.port, host: '127.0.0.1', method, path, headers }, (answer) => {
    answered.set(path, answer.statusCode ?? 0);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
};
const fronts = {
  http: `http://localhost:${await listen(createServer(pass))}`,
  https: `https://localhost:${await listen(createTlsServer(certificate, pass))}`,
};
let body = '';
const page: RequestListener = (_request, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!DOCTYPE html><title>evil</title>${body}`);
const pagePort = {
  http: await listen(createServer(page)),
  https: await listen(createTlsServer(certificate, page)),
};

const asks: readonly { readonly name: string; readonly markup: (url: string) => string }[] = [
  { name: 'a picture', markup: (url) => `<img src="${url}">` },
  { name: 'a frame', markup: (url) => `<iframe src="${url}"></iframe>` },
  { name: 'a script', markup: (url) => `<script src="${url}"></script>` },
  { name: 'a style sheet', markup: (url) => `<link rel="stylesheet" href="${url}">` },
  { name: 'a video', markup: (url) => `<video src="${url}" autoplay></video>` },
  { name: 'an object', markup: (url) => `<object data="${url}"></object>` },
  { name: 'a fetch without cors', markup: (url) => `<script>fetch("${url}", {mode: "no-cors"})</script>` },
  { name: 'a fetch with cors', markup: (url) => `<script>fetch("${url}").catch(() => 0)</script>` },
  { name: 'a prefetch', markup: (url) => `<link rel="prefetch" href="${url}">` },
  { name: 'a preload', markup: (url) => `<link rel="preload" as="image" href="${url}">` },
  {
    name: 'a link',
    markup: (url) => `<a id="go" href="${url}">go</a><script>document.getElementById("go").click()</script>`,
  },
  { name: 'a refresh', markup: (url) => `<meta http-equiv="refresh" content="0; url=${url}">` },
  {
    name: 'a form',
    markup: (url) => {
      const { origin, pathname, searchParams } = new URL(url);
      return `<form action="${origin}${pathname}"><input name="url" value="${searchParams.get('url')}"></form><script>document.forms[0].submit()</script>`;
    },
  },
];
const cases = (['http', 'https'] as const).flatMap((scheme) => asks.map((ask) => ({ scheme, ...ask })));
let count = 0;
test.for(cases)(
  '$name of another site starts nothing over $scheme',
  { timeout: 60_000 },
  async ({ scheme, markup }) => {
    const path = redirectPath(`http://a.test/${(count += 1)}`);
    const before = loads;
    body = markup(`${fronts[scheme]}${path}`);
    const visitor = await browser.open();
    // Another site: an address is no part of the site localhost. The page may leave before its load has ended, so neither that nor its end is waited for: the browser is closed with all pages.
    void visitor.goto(`${scheme}://127.0.0.1:${pagePort[scheme]}/`).catch(() => undefined);
    await expect.poll(() => answered.get(path), { timeout: 25_000 }).toBe(403);
    expect(loads).toBe(before);
  },
);

test.for(['http', 'https'] as const)(
  'a visitor who opens the address over %s gets a report',
  async (scheme) => {
    const path = redirectPath(`http://a.test/own-${scheme}`);
    const visitor = await browser.open();
    const answer = await visitor.goto(`${fronts[scheme]}${path}`);
    expect(answer?.status()).toBe(200);
    await visitor.close();
  },
);

test('what is stored is shown to another site’s visitor', async () => {
  const path = redirectPath('http://a.test/stored');
  await service.get(path);
  body = `<a id="go" href="${fronts.http}${path}">go</a><script>document.getElementById("go").click()</script>`;
  const visitor = await browser.open();
  void visitor.goto(`http://127.0.0.1:${pagePort.http}/`).catch(() => undefined);
  await expect.poll(() => answered.get(path), { timeout: 25_000 }).toBe(200);
});
