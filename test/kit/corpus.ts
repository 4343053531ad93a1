import { hash } from 'node:crypto';
import type { HttpAnswer, HttpProbe } from '../../worker/probes/http/port.ts';
import type { HeaderLine } from '../../worker/web/fields.ts';

/** Chains of real sites, as curl saw them: `hops` in the order asked. */
export type RecordedChain = {
  readonly host: string;
  readonly hops: readonly {
    readonly url: string;
    readonly status: number;
    readonly headers: readonly HeaderLine[];
  }[];
};

const timings = { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false };

/**
 * Answers as the recorded chain did: an address that was asked twice has two answers, in turn; any other address has none.
 * A chain was recorded from its http address only, so the https address beside it is made up: it leads to the first https hop.
 */
export function replay({ hops }: RecordedChain): HttpProbe {
  const madeUp = makeHttpsStart(hops);
  const turns = new Map<string, RecordedChain['hops'][number][]>();
  for (const hop of [...hops, ...madeUp]) turns.set(hop.url, [...(turns.get(hop.url) ?? []), hop]);
  let count = 0;
  return {
    ask({ url }) {
      count += 1;
      const waiting = turns.get(url) ?? [];
      const hop = waiting.length > 1 ? waiting.shift() : waiting[0];
      return Promise.resolve(hop ? answerOf(withFreshNonces(hop, count)) : noAnswer(url));
    },
  };
}

function makeHttpsStart(hops: RecordedChain['hops']): RecordedChain['hops'] {
  const url = (hops[0]?.url ?? '').replace(/^http:/, 'https:');
  const first = hops.find((hop) => hop.url.startsWith('https:'));
  if (!first || hops.some((hop) => hop.url === url)) return [];
  const hsts = first.headers.filter(([name]) => name.toLowerCase() === 'strict-transport-security');
  return [{ url, status: 301, headers: [['Location', first.url], ...hsts] }];
}

// A recorded answer that is given twice would have the same nonce twice, which is a fault of its own.
function withFreshNonces(hop: RecordedChain['hops'][number], count: number): RecordedChain['hops'][number] {
  const headers = hop.headers.map(([name, value]): HeaderLine => [
    name,
    value.replace(/'nonce-[^']+'/g, (nonce) => `'nonce-${hash('sha256', nonce + count, 'base64')}'`),
  ]);
  return { ...hop, headers };
}

function answerOf({ url, status, headers }: RecordedChain['hops'][number]): HttpAnswer {
  return {
    kind: 'response',
    url,
    status,
    statusText: '',
    httpVersion: '1.1',
    headers,
    body: { text: '', wireBytes: 0, decodedBytes: 0 },
    address: '192.0.2.1',
    tls: url.startsWith('https:') ? { protocol: 'TLSv1.3', trusted: true, error: null } : null,
    timings,
  };
}

function noAnswer(url: string): HttpAnswer {
  return { kind: 'failure', url, code: 'response-timeout', reason: 'it was not recorded', address: null };
}
