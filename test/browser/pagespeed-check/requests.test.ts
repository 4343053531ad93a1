import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { trafficBudget } from '../../../worker/probes/browser/traffic-account.ts';
import { makeAuthority } from '../../lab/kit/certificates.ts';
import { expectRun, openProbe, siteAddress } from './kit.ts';

const authority = await makeAuthority();
setDefaultCACertificates([...getCACertificates('bundled'), authority.cert]);
// One key, so that the first load believes both hosts.
const issued = { ...(await authority.issue(['a.test', 'cdn.test'])), ca: [] };

/** Requests that the other site has counted itself, by the load of the page that made them. */
const asked = new Map<number, number>();
let loads = 0;
let script = '';
const answer = (host: string, path: string): string => {
  if (host.startsWith('cdn.test')) {
    const load = Number(new URL(path, 'https://cdn.test').searchParams.get('load'));
    asked.set(load, (asked.get(load) ?? 0) + 1);
  }
  if (!host.startsWith('a.test') || path !== '/') return '.';
  loads += 1;
  return `<!doctype html><title>x</title><h1>hello</h1><script>const load=${loads};${script}</script>`;
};
const h2 = createSecureServer({ ...issued, allowHTTP1: false });
h2.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  stream.respond({ ':status': 200, 'content-type': 'text/html' });
  stream.end(answer(String(headers[':authority']), String(headers[':path'])));
});
h2.on('sessionError', () => undefined);
const h1 = createServer(issued, (request, response) => {
  const text = answer(request.headers.host ?? '', request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html' }).end(text);
});
for (const each of [h1, h2]) await new Promise<void>((resolve) => each.listen(0, siteAddress, resolve));
afterAll(() => {
  h1.closeAllConnections();
  for (const each of [h1, h2]) each.close();
});
beforeEach(() => asked.clear());

async function load(protocol: 'h1' | 'h2') {
  const { port } = (protocol === 'h1' ? h1 : h2).address() as AddressInfo;
  const probe = openProbe(0, { tlsPort: port, trustedAuthorities: [authority.cert] });
  return expectRun(await probe.run({ url: 'https://a.test/', strategy: 'desktop', timeoutMs: 100_000 }));
}

const limit = trafficBudget.foreign.sentPieces;

for (const protocol of ['h1', 'h2'] as const) {
  test(
    `a page that asks another site 1,500 times over ${protocol} is stopped at the limit, as the site counts`,
    { timeout: 240_000 },
    async () => {
      script =
        'for(let i=0;i<1500;i++)fetch("https://cdn.test/?load="+load,{mode:"no-cors",cache:"no-store"}).catch(()=>{})';
      const { traffic } = await load(protocol);
      expect(Math.max(...asked.values())).toBeLessThanOrEqual(limit);
      expect(Math.max(...asked.values())).toBeGreaterThan(limit * 0.8);
      expect(traffic.overspent).toMatchObject([{ site: 'cdn.test', what: 'sentPieces', limit }]);
    },
  );

  test(
    `a page with 200 files of one other site over ${protocol} gets them all, and is measured`,
    { timeout: 240_000 },
    async () => {
      script =
        'for(let i=0;i<200;i++){const m=new Image();m.src="https://cdn.test/"+i+".png?load="+load;document.body.append(m)}';
      const { end, traffic } = await load(protocol);
      expect(end.kind).toBe('loaded');
      expect(Math.max(...asked.values())).toBeGreaterThanOrEqual(200);
      expect(traffic.overspent).toEqual([]);
    },
  );
}
