import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type Expiry, unpackOutline } from '#shared/catalogue/outline';
import { Problem } from '#shared/model/problem';
import type { Delivery } from '#shared/model/watch';
import type { LinkKind, WatchPage } from '#shared/ports/watch-store';
import { renderCalendar, renderFeed } from '#shared/render/watches';
import { watchesOf } from '#shared/stores/watches/watches-of';
import { giveBack, joinLine } from '#shared/time/give-back';
import { represent, sendRepresentation } from '../answer/representation.ts';
import { admit, admitToken } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import { sendPrivate } from './change.ts';
import { drawKey } from './keys.ts';
import type { WatchAnswer, WatchServices } from './watch-services.ts';

const shownEvents = 100;
const eventsAtOnce = 50;
const mostDates = 2000;
const pageRows = 100;
export const keyText = /^[A-Za-z0-9_-]{22}$/;

/** Answers POST /api/watches/links: draws the addresses of feed and calendar anew, and shows them this once. */
export const drawLinks: WatchAnswer = async (services, caller, request, response) => {
  readOwnQuery(request, []);
  const [feed, calendar] = [drawKey(), drawKey()];
  await services.watches.setLinks(caller.account, { feed: digestOf(feed), calendar: digestOf(calendar) });
  const base = `${services.site.publicPath}/api/watches`;
  sendPrivate(response, {
    feed: `${base}/feed.atom?key=${feed}`,
    calendar: `${base}/expiries.ics?key=${calendar}`,
  });
};

/** Answers GET /api/watches/feed.atom: what the watches of an account told, newest first. */
export async function answerFeed(
  services: WatchServices,
  request: Request,
  response: Response,
): Promise<void> {
  const account = await readerOf(services, 'feed', request, response);
  const self =
    services.site.publicPath === '' ? undefined : `${services.site.publicPath}/api/watches/feed.atom`;
  const feedId = `urn:diag:watches:${hash('sha256', account).slice(0, 32)}`;
  const feed = await services.streams.share(account, 'feed', async () =>
    renderFeed({ feedId, self, events: await newestEvents(services, account) }),
  );
  await sendFile(request, response, feed, 'application/atom+xml; charset=utf-8');
}

/** What was also sent by e-mail has a second delivery, and the feed tells of it once. */
async function newestEvents({ watches }: WatchServices, account: string): Promise<readonly Delivery[]> {
  const events: Delivery[] = [];
  for (let before: WatchPage['before']; ;) {
    const page = await watches.listDeliveries({ account }, { limit: eventsAtOnce, before });
    events.push(...page.filter(({ channel }) => channel !== 'email'));
    const last = page.at(-1);
    if (!last || page.length < eventsAtOnce || events.length >= shownEvents)
      return events.slice(0, shownEvents);
    before = { createdAt: last.createdAt, id: last.deliveryId };
    await giveBack();
  }
}

/** Answers GET /api/watches/expiries.ics: what of the watched targets ends when. */
export async function answerCalendar(
  services: WatchServices,
  request: Request,
  response: Response,
): Promise<void> {
  const account = await readerOf(services, 'calendar', request, response);
  const calendar = await services.streams.share(account, 'calendar', async () =>
    renderCalendar(await datesOf(services, account)),
  );
  await sendFile(request, response, calendar, 'text/calendar; charset=utf-8');
}

async function sendFile(request: Request, response: Response, text: string, type: string): Promise<void> {
  response.setHeader('X-Robots-Tag', 'noindex');
  response.setHeader('Referrer-Policy', 'no-referrer');
  await sendRepresentation(request, response, represent(Buffer.from(text), type), [
    'Cache-Control',
    'private, no-cache',
  ]);
}

const keyShape = z.string().regex(keyText);

/** The account whose feed is read: that of the token, or of the key in the address. A key beside a bad token is of no use. */
async function readerOf(
  { limits, site, watches }: WatchServices,
  kind: LinkKind,
  request: Request,
  response: Response,
): Promise<string> {
  if (!site.reportIds) throw noWatches();
  const { key } = readOwnQuery(request, ['key']);
  if (key === undefined) return (await admitToken(limits, request, response, 'watch')).account;
  // Guesses count at the address that they come from, and readings at the account as well: its key may be read anywhere.
  await admit(limits, request, response, 'anyone');
  const account = keyShape.safeParse(key).success ? await watches.findLink(kind, digestOf(key)) : undefined;
  if (account !== undefined) {
    const reader = limits.callers.ofAccount(account);
    joinLine(reader.levels);
    limits.quotas.takeRequest(reader, response);
    return account;
  }
  throw new Problem(
    'invalid_token',
    'The key in this address is not valid. Draw new ones with POST /api/watches/links.',
    {
      headers: { 'WWW-Authenticate': 'Bearer realm="diag", error="invalid_token"' },
    },
  );
}

/** What a service without report ids says: it could not tell what changed. */
export function noWatches(): Problem {
  return new Problem('report_ids_disabled', 'Reports have no ids here, and nothing is watched.');
}

async function datesOf({ watches }: WatchServices, account: string): Promise<readonly Expiry[]> {
  const dates = new Map<string, Expiry>();
  for await (const { watchId } of watchesOf(watches, account))
    for await (const expiry of expiriesOf(watches, watchId)) {
      const { what, name, expiresAt } = expiry;
      dates.set(`${what} ${name} ${expiresAt}`, expiry);
      if (dates.size >= 2 * mostDates) dropLatest(dates);
    }
  dropLatest(dates);
  return [...dates.values()];
}

/** Leaves those that come first, in their order. */
function dropLatest(dates: Map<string, Expiry>): void {
  const first = [...dates].toSorted(([, a], [, b]) => (a.expiresAt < b.expiresAt ? -1 : 1));
  dates.clear();
  for (const [key, expiry] of first.slice(0, mostDates)) dates.set(key, expiry);
}

async function* expiriesOf(watches: WatchServices['watches'], watchId: string): AsyncGenerator<Expiry> {
  for (let after: string | undefined; ;) {
    const page = await watches.listTargets(watchId, { limit: pageRows, after });
    for (const { base } of page) {
      yield* readExpiries(base);
      await giveBack();
    }
    after = page.at(-1)?.target;
    if (page.length < pageRows) return;
  }
}

function readExpiries(base: string | null): readonly Expiry[] {
  if (base === null) return [];
  try {
    return unpackOutline(Buffer.from(base.split(' ')[1] ?? '', 'base64')).expiries;
  } catch {
    return []; // of another release; the next turn writes it anew
  }
}

function digestOf(key: string): string {
  return hash('sha256', key, 'base64url');
}
