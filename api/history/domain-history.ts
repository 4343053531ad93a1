import type { Request, Response } from 'express';
import { z } from 'zod';
import { everPlainChecks, plainOptions } from '#shared/catalogue/asked-options';
import { notesBetween, partsOfOutline } from '#shared/catalogue/health-parts';
import { haveOtherRules, newsBetween } from '#shared/catalogue/news';
import type { Outline } from '#shared/catalogue/outline';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import type { Grant } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import { readOutlines } from '#shared/stores/reports/with-history';
import { parseDomain, parseHttpUrl, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import { giveBack } from '#shared/time/give-back';
import { sendJson } from '../answer/json.ts';
import { checkChoice, cursorOf, describeGrant, readCursor } from '../reports/history.ts';
import type { ReportServices } from '../reports/readable.ts';
import { momentText } from '../reports/stream.ts';
import {
  beforeParameter,
  cursorText,
  limitParameter,
  mostOfPage,
  pageOf,
  readParameters,
} from '../request/pages.ts';
import { decodeSegment } from '../request/read-query.ts';
import { listSeen, type SeenQuestion } from './seen.ts';

const firstId = '0'.repeat(32);

const daysText = /^[1-9][0-9]{0,3}d$/;
const dayMs = 86_400_000;

/** What `since` and `until` of a history may say: a date, a time in UTC, or so many days back. */
export const spanText = new RegExp(`${momentText.source}|${daysText.source}`);

/** The Unix ms of a text that `spanText` has let through. */
function readSpan(text: string, nowMs: number): number {
  return daysText.test(text) ? nowMs - Number(text.slice(0, -1)) * dayMs : Date.parse(text);
}

/** Answers /api/history/{domain}: the points of one check and target over time, newest first, each with what changed since the one before. */
export async function answerDomainHistory(
  services: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const domain = readDomainOf(request, services.targetPolicy);
  const { check, target, since, until, limit, before } = readParameters(parameters, request);
  const question: SeenQuestion = {
    check,
    target: readTargetOf(domain, check, target, services.targetPolicy),
    since,
    limit: limit + 1,
    before: earlierOf(before, until === undefined ? undefined : { checkedAt: until, reportId: firstId }),
  };
  const found = await listSeen(services, caller, domain, question);
  const { shown, next } = pageOf(found, limit, cursorOf);
  const older = await olderOfEach(services, { caller, domain, question }, shown, found);
  const outlines = await readOutlines(services.reports.reportStore, [
    ...new Set([...shown, ...older.values()].map(({ reportId }) => reportId)),
  ]);
  const points: ReturnType<typeof pointOf>[] = [];
  for (const grant of shown) {
    points.push(pointOf(grant, older.get(grant.reportId), outlines));
    await giveBack();
  }
  response.setHeader('Cache-Control', 'private, no-cache');
  sendJson(response, { domain, points, next });
}

function pointOf(grant: Grant, older: Grant | undefined, outlines: ReadonlyMap<string, Outline>) {
  const now = outlines.get(grant.reportId);
  const then = older && outlines.get(older.reportId);
  return {
    ...describeGrant(grant),
    rulesVersion: grant.rulesVersion ?? now?.reports[0]?.rulesVersion ?? null,
    recheckedAt: now?.reports[0]?.recheckedAt ?? null,
    ...(now && then ? changesOf(then, now) : { rulesChanged: false, news: [], notes: [] }),
  };
}

function changesOf(then: Outline, now: Outline) {
  return {
    rulesChanged: haveOtherRules(then, now),
    news: newsBetween(then, now),
    notes: notesBetween(partsOfOutline(then), partsOfOutline(now)),
  };
}

type HistoryRequest = { readonly caller: Caller; readonly domain: string; readonly question: SeenQuestion };

/** For each point the one before it with the same options, by the id of the point; without those that have none. */
async function olderOfEach(
  services: ReportServices,
  { caller, domain, question }: HistoryRequest,
  shown: readonly Grant[],
  found: readonly Grant[],
): Promise<ReadonlyMap<string, Grant>> {
  const older = new Map<string, Grant>();
  for (const [text, all] of Map.groupBy(found, optionsOf)) {
    const points = all.filter((grant) => shown.includes(grant));
    for (const [at, point] of points.entries()) {
      const before = all[at + 1];
      if (before) older.set(point.reportId, before);
    }
    const oldest = points.at(-1);
    if (!oldest || older.has(oldest.reportId) || text === null) continue;
    const options = text === plainOptions ? 'plain' : { text };
    const wanted = { ...question, since: undefined, limit: 1, before: oldest, options } as const;
    const [before] = await listSeen(services, caller, domain, wanted);
    if (before) older.set(oldest.reportId, before);
    await giveBack();
  }
  return older;
}

/** What the run of a report was asked, as far as anybody knows. */
function optionsOf({ check, options }: Grant): string | null {
  return options ?? (everPlainChecks.includes(check) ? plainOptions : null);
}

type ReportPosition = Pick<Grant, 'checkedAt' | 'reportId'>;

function earlierOf(
  one: ReportPosition | undefined,
  other: ReportPosition | undefined,
): ReportPosition | undefined {
  if (!one || !other) return one ?? other;
  return one.checkedAt < other.checkedAt ? one : other;
}

const spanFault = 'Give a date or a time in UTC, or a number of days back, such as 2026-11-21 or 30d.';
const span = z
  .string()
  .regex(spanText, spanFault)
  .transform((text) => readSpan(text, Date.now()))
  .optional();
const parameters = z.object({
  check: checkChoice.default('domain-health'),
  target: z.string().optional(),
  since: span,
  until: span,
  limit: limitParameter(mostOfPage),
  before: beforeParameter(cursorText, readCursor),
});

function readDomainOf({ path }: Request, policy: TargetPolicy): string {
  const parsed = parseDomain(decodeSegment(path.split('/').at(-1) ?? '') ?? '', policy);
  if (parsed.ok) return parsed.value;
  throw refuse('path', 'domain', tellFault(parsed.fault), parsed.fault.kind);
}

/** The target in normal form: the domain itself or a name below it, or a URL there, as the check takes it. */
function readTargetOf(
  domain: string,
  check: string,
  given: string | undefined,
  policy: TargetPolicy,
): string {
  const isUrl = findSpec(check)?.targetKind === 'url';
  if (given === undefined) return isUrl ? `https://${domain}/` : domain;
  const read = isUrl ? parseHttpUrl(given, policy) : parseDomain(given, policy);
  if (!read.ok) throw refuse('query', 'target', tellFault(read.fault), read.fault.kind);
  const { host, target } =
    typeof read.value === 'string'
      ? { host: read.value, target: read.value }
      : { host: read.value.hostname, target: read.value.href };
  if (host === domain || host.endsWith(`.${domain}`)) return target;
  throw refuse('query', 'target', `Give the domain, a name below it or a URL of one of them.`, 'malformed');
}

function refuse(place: 'path' | 'query', name: string, detail: string, kind: string): Problem {
  const code = kind === 'malformed' ? 'invalid_request' : 'target_not_allowed';
  return new Problem(code, `${name}: ${detail}`, { errors: [{ in: place, name, detail }] });
}
