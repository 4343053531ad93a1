import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const file = join(import.meta.dirname, '../../../shared/corpus/real-responses.json');

/** The recorded chains beside the checkout; empty where they are not there. */
export function readCorpus(): readonly RecordedChain[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedChain[]) : [];
}

const timings = { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false };

/** Answers as the recorded chain did: an address that was asked twice has two answers, in turn; any other address has none. */
export function replay({ hops }: RecordedChain): HttpProbe {
  const turns = new Map<string, RecordedChain['hops'][number][]>();
  for (const hop of hops) turns.set(hop.url, [...(turns.get(hop.url) ?? []), hop]);
  return {
    ask({ url }) {
      const waiting = turns.get(url) ?? [];
      const hop = waiting.length > 1 ? waiting.shift() : waiting[0];
      return Promise.resolve(hop ? answerOf(hop) : noAnswer(url));
    },
  };
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
  return { kind: 'failure', url, code: 'connection-refused', reason: 'it was not recorded', address: null };
}
