import { openBackend } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import type { Fleet, Member, Tally } from '../test/faults/fleet.ts';
import { clientHeaders } from '../test/kit/client-headers.ts';

/** What was asked and what became of it. */
export type Counts = { accepted: number; answered: number; lost: number; cached: number; tally: Tally };

/** The clients of a soak: each call sends one request and counts its outcome. */
export type Load = {
  readonly counts: Counts;
  /** Starts a check that nobody asked for before: every third of a hot host, every second with a token. */
  askNew(turn: number): Promise<void>;
  /** Asks once more for a check that is answered, with the header fields of a real client. */
  askAgain(turn: number): Promise<void>;
};

/** Limits that are counted for every caller, and that no caller of a soak reaches. */
export const wideLimits = {
  RATE_LIMIT: 'on',
  LIMIT_ANON_REQUESTS: '1000000/60',
  LIMIT_ANON_SCANS: '1000000/60',
  LIMIT_TOKEN_REQUESTS: '1000000/60',
  LIMIT_TOKEN_SCANS: '1000000/60',
};

/** Cached answers are asked for among this many of the latest checks. */
const latest = 500;
const tokenCount = 5;

/** Opens the clients, with tokens in the fleet's own store. */
export async function openLoad(fleet: Fleet, apis: readonly Member[]): Promise<Load> {
  const tokens = await makeTokens(fleet);
  const counts: Counts = { accepted: 0, answered: 0, lost: 0, cached: 0, tally: {} };
  const answered: string[] = [];
  const clients = Object.values(clientHeaders);
  const bearer = (turn: number) =>
    turn % 2 === 0 ? { authorization: `Bearer ${tokens[turn % tokens.length]}` } : {};
  return {
    counts,
    async askNew(turn) {
      const host = turn % 3 === 0 ? fleet.hosts[0] : fleet.hosts[turn % fleet.hosts.length];
      const url = `http://${host}/${turn}`;
      counts.accepted += 1;
      let tries = turn;
      const nextApi = () => {
        tries += 1;
        return pick(apis, tries);
      };
      try {
        await fleet.ask(nextApi, url, counts.tally, bearer(turn));
        counts.answered += 1;
        answered[counts.answered % latest] = url;
      } catch (error) {
        counts.lost += 1;
        console.error(String(error));
      }
    },
    async askAgain(turn) {
      const known = answered.filter((url) => url !== undefined);
      if (known.length === 0) return;
      const headers = { ...pick(clients, turn), ...bearer(turn) };
      const url = `${pick(apis, turn).url}/api/tools/redirect-check?url=${encodeURIComponent(pick(known, turn * 7))}`;
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(40_000) });
      await answer.bytes();
      const outcome = `again ${answer.status}`;
      counts.tally[outcome] = (counts.tally[outcome] ?? 0) + 1;
      counts.cached += 1;
    },
  };
}

async function makeTokens({ redis, mongo }: Fleet): Promise<readonly string[]> {
  const config = readConfig({ REDIS_URL: redis.url, MONGODB_URL: mongo.url });
  const backend = await openBackend(config, openLogger('silent'));
  try {
    const made = Array.from({ length: tokenCount }, (_, index) =>
      makeToken({ name: `soak ${index}`, scopes: ['tools'], limits: {}, expiresAt: null }, Date.now()),
    );
    for (const { token } of made) await backend.tokenStore.insert(token);
    return made.map(({ text }) => text);
  } finally {
    await backend.close(0);
  }
}

function pick<Value>(values: readonly Value[], turn: number): Value {
  const value = values[turn % values.length];
  if (value === undefined) throw new Error('there is nothing to pick from');
  return value;
}
