import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { securityHeaderCheck } from '../../../worker/checks/security-header-check/index.ts';
import { openLab } from '../kit/lab.ts';
import { prepareLabProbes } from '../kit/probes.ts';

// However a server sends its page, it is the same page.
type Coding = 'identity' | 'gzip' | 'br' | 'zstd';
const ways = (['keep-alive', 'close'] as const)
  .flatMap((connection) =>
    (['length', 'chunked', 'until-close'] as const).flatMap((framing) =>
      (['identity', 'gzip', 'br', 'zstd'] as const).flatMap((coding) =>
        [false, true].map((isSlow) => ({ connection, framing, coding, isSlow })),
      ),
    ),
  )
  .filter(({ connection, framing }) => framing !== 'until-close' || connection === 'close');
type Way = (typeof ways)[number];

const words = Array.from(
  { length: 6000 },
  (_, index) => `<p>${createHash('sha256').update(String(index)).digest('hex')}`,
).join('\n');
const page = Buffer.from(
  `<!doctype html><meta http-equiv="content-security-policy" content="object-src 'none'"><title>page</title>\n${words}\n<script src="https://other.test/a.js"></script>`,
);

const sentAs: { readonly [coding in Coding]: Buffer } = {
  identity: page,
  gzip: gzipSync(page),
  br: brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync(page),
};

const nameOf = ({ connection, framing, coding, isSlow }: Way) =>
  `${connection}-${framing}-${coding}-${isSlow ? 'slow' : 'fast'}.test`;

type End = 'whole' | 'reset behind it' | 'cut';

/** Serves the page in its way; robots.txt too, in the same way. */
function serve(way: Way, end: End): RequestListener {
  const { connection, framing, coding, isSlow } = way;
  const whole = sentAs[coding];
  const sent = end === 'cut' ? whole.subarray(0, -20) : whole;
  return (request, response) => void answer(request, response);
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = connection === 'keep-alive';
    if (request.url !== '/') return void response.writeHead(404).end();
    if (framing === 'until-close') response.useChunkedEncodingByDefault = false;
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      ...(framing === 'length' ? { 'content-length': whole.length } : {}),
    });
    await write(response, sent, isSlow);
    const { socket } = request;
    if (end === 'cut') return socket.destroySoon();
    response.end(() => {
      if (end === 'reset behind it')
        setTimeout(() => ('encrypted' in socket ? socket.destroy() : socket.resetAndDestroy()), 50);
    });
  }
}

async function write(response: ServerResponse, bytes: Buffer, isSlow: boolean): Promise<void> {
  const size = Math.ceil(bytes.length / 5);
  if (!isSlow) return void response.write(bytes);
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await sleep(20);
  }
}

const cutWays = ways.filter(
  ({ framing, coding }) => framing !== 'until-close' || coding === 'gzip' || coding === 'zstd',
);
const schemes = ['http', 'https'] as const;
const lab = await openLab({
  sites: Object.fromEntries(
    schemes.flatMap((scheme) => [
      ...ways.map((way) => [`${scheme}://${nameOf(way)}`, serve(way, 'whole')] as const),
      ...ways.map((way) => [`${scheme}://reset.${nameOf(way)}`, serve(way, 'reset behind it')] as const),
      ...cutWays.map((way) => [`${scheme}://cut.${nameOf(way)}`, serve(way, 'cut')] as const),
    ]),
  ),
});
afterAll(() => lab.close());

const config = lab.config();
const probes = prepareLabProbes(config);
afterAll(() => probes.close());

/** Asks each address as one run does, some at a time. */
async function ask(urls: readonly string[]): Promise<readonly string[]> {
  const seen: string[] = [];
  const waiting = urls.entries();
  const work = async () => {
    for (const [index, url] of waiting) {
      const opened = probes.open(AbortSignal.timeout(20_000));
      const answer = await opened.http.ask({ url, bodyLimitBytes: 2_000_000 });
      opened.close();
      if (answer.kind !== 'response') seen[index] = `${url} ${answer.code}`;
      else
        seen[index] =
          `${url} ${answer.body.cut ?? (answer.body.text === page.toString() ? 'whole' : 'other')}`;
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  return seen;
}
const urlsOf = (prefix: string, which = ways) =>
  schemes.flatMap((scheme) => which.map((way) => `${scheme}://${prefix}${nameOf(way)}/`));

test('a page is read whole in every way in which it may come', async () => {
  const urls = urlsOf('');
  expect(await ask([...urls, ...urls])).toEqual([...urls, ...urls].map((url) => `${url} whole`));
});

test('a connection that is reset behind the whole page takes nothing of it', async () => {
  const urls = urlsOf(
    'reset.',
    ways.filter(({ framing }) => framing !== 'until-close'),
  );
  expect(await ask(urls)).toEqual(urls.map((url) => `${url} whole`));
});

test('a page that ends early by its length, its chunks or its own coding is broken', async () => {
  const urls = urlsOf('cut.', cutWays);
  const ended = (await ask(urls)).map((line) => line.split(' ')[1]);
  expect(new Set(ended)).toEqual(new Set(['closed-early', 'bad-encoding']));
});

test('the report is the same, whatever the server does with its connections and in which coding it sends', async () => {
  const report = async (way: Way) => {
    const opened = probes.open(AbortSignal.timeout(20_000));
    const evidence = await securityHeaderCheck.gather({
      target: `https://${nameOf(way)}/`,
      options: {},
      probes: opened,
      progress: () => undefined,
    });
    opened.close();
    const { verdicts } = securityHeaderCheck.assess(evidence);
    return JSON.stringify(verdicts, undefined, 1).replaceAll(nameOf(way), 'site.test').split('\n');
  };
  const reports: (readonly string[])[] = [];
  for (const way of ways) reports.push(await report(way));
  expect(reports.length).toBe(40);
  for (const [index, one] of reports.entries())
    expect([ways[index], ...one]).toEqual([ways[index], ...(reports[0] ?? [])]);
});
