import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { nextTurn } from '#shared/model/watch-times';
import { type Lab, openLab } from '../test/lab/kit/lab.ts';

/** The sites that are watched, and a receiver of webhooks that fails half of the time. */
export type World = {
  readonly lab: Lab;
  /** When each host was visited, Unix ms. */
  readonly visits: ReadonlyMap<string, number[]>;
  /** How often each event was taken, and sent. */
  readonly taken: ReadonlyMap<string, number>;
  sent(): number;
  /** From now on every second site sends its visitors around in a circle. */
  break(): void;
};

type Settings = Readonly<Record<string, string>>;

/** Opens so many sites and the receiver. */
export async function openWorld(sites: number): Promise<World> {
  const visits = new Map<string, number[]>();
  const taken = new Map<string, number>();
  let sent = 0;
  let isBroken = false;
  const site = (index: number) => (_request: IncomingMessage, response: ServerResponse) => {
    const host = hostOf(index);
    visits.set(host, [...(visits.get(host) ?? []), Date.now()]);
    if (isBroken && index % 2 === 0) response.writeHead(302, { location: '/' }).end();
    else response.end('<!doctype html><title>page</title>');
  };
  const hook = (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.once('end', () => {
      sent += 1;
      const id = String(request.headers['webhook-id']);
      if (Math.random() < 0.5) return void response.writeHead(500).end();
      taken.set(id, (taken.get(id) ?? 0) + 1);
      response.writeHead(204).end();
    });
  };
  const lab = await openLab({
    sites: {
      'https://hook.test': hook,
      ...Object.fromEntries(
        Array.from({ length: sites }, (_, index) => [`http://${hostOf(index)}`, site(index)]),
      ),
    },
  });
  return { lab, visits, taken, sent: () => sent, break: () => void (isBroken = true) };
}

/** The host of a site. */
export function hostOf(index: number): string {
  return `w${index}.test`;
}

/** What the service is set to, to see this world. */
export function settingsOf({ lab }: World, folder: string, more: Settings): Settings {
  const root = join(folder, 'root.pem');
  writeFileSync(root, lab.authority.cert);
  return lab.settings({
    NODE_EXTRA_CA_CERTS: root,
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
    WATCH_MIN_SECONDS: '1',
    QUEUE_SECONDS: '120',
    ...more,
  });
}

/** A turn as its site saw it: how long after its time the first visit of its interval was, how many there were, and whether the next interval had one. */
export type Turn = {
  /** Undefined: there was no visit. */
  readonly delayMs: number | undefined;
  readonly times: number;
  readonly isNext: boolean;
};

type Watched = { readonly watchId: string; readonly host: string; readonly everySeconds: number };
type Span = { readonly from: number; readonly until: number };

/** The turns of a watch whose interval, and the next one, lie in this time (Unix ms). */
export function turnsOf(
  { visits }: Pick<World, 'visits'>,
  { watchId, host, everySeconds }: Watched,
  { from, until }: Span,
): readonly Turn[] {
  const everyMs = everySeconds * 1000;
  const seen = visits.get(host) ?? [];
  const within = (start: number) => seen.filter((at) => at >= start && at < start + everyMs);
  const turns: Turn[] = [];
  let due = nextTurn({ watchId, everySeconds }, `http://${host}/`, from);
  for (; due + 2 * everyMs <= until; due += everyMs) {
    const own = within(due);
    turns.push({
      delayMs: own[0] === undefined ? undefined : own[0] - due,
      times: own.length,
      isNext: within(due + everyMs).length > 0,
    });
  }
  return turns;
}
