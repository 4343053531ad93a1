import type { Request, Response } from 'express';
import { z } from 'zod';
import { catalogue } from '#shared/catalogue/registry';
import type { Grant } from '#shared/model/grant';
import { type Fault, Problem } from '#shared/model/problem';
import {
  type Parsed,
  parseDomain,
  parseHttpUrl,
  type TargetPolicy,
  tellFault,
} from '#shared/targets/parse-target';
import { sendJson } from '../answer/json.ts';
import type { Caller } from '../request/caller.ts';
import { describeFaults, readOwnQuery } from '../request/read-query.ts';
import type { ReportDesk } from './report-desk.ts';

const usualLimit = 20;
const limitLimit = 100;

type Page = z.infer<ReturnType<typeof pageParameters>>;

/** Answers /api/reports: what was given to the caller's account, newest first, a page at a time. */
export async function answerHistory(
  { shelf, site, targetPolicy }: ReportDesk,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const page = readParameters(pageParameters(targetPolicy), request);
  // One more than asked tells whether there is a next page.
  const grants = await shelf.reportStore.grants.list({
    account: caller.account,
    ...page,
    limit: page.limit + 1,
  });
  const shown = grants.slice(0, page.limit);
  const last = shown.at(-1);
  const next = grants.length > page.limit && last ? cursorOf(last) : null;
  response.setHeader('Cache-Control', 'private, no-cache');
  if (next !== null) response.appendHeader('Link', `<${addressOf(site.publicPath, page, next)}>; rel="next"`);
  sendJson(response, { reports: shown.map(describeGrant), next });
}

/** A row of a history. */
export function describeGrant({ reportId, check, target, options, checkedAt, score, grade, state }: Grant) {
  return {
    reportId,
    check,
    target,
    options: readOptions(options),
    checkedAt: new Date(checkedAt).toISOString(),
    score,
    grade,
    state,
  };
}

// A store that others may write to has given it.
function readOptions(text: string | null): object {
  try {
    const options: unknown = JSON.parse(text ?? '{}');
    return typeof options === 'object' && options !== null ? options : {};
  } catch {
    return {};
  }
}

function addressOf(publicPath: string, { target, check, limit }: Page, next: string): string {
  const query = new URLSearchParams({
    ...(target === undefined ? {} : { target }),
    ...(check === undefined ? {} : { check }),
    limit: String(limit),
    before: next,
  });
  return `${publicPath}/api/reports?${query.toString()}`;
}

/** The query of a list of reports. Throws the Problem that names every fault. */
export function readParameters<Shape extends z.ZodRawShape>(
  parameters: z.ZodObject<Shape>,
  request: Request,
): z.infer<z.ZodObject<Shape>> {
  const sent = readOwnQuery(request, Object.keys(parameters.shape));
  const parsed = parameters.safeParse(sent);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }): Fault => ({
    in: 'query',
    name: String(path[0]),
    detail: message,
  }));
  throw new Problem('invalid_request', describeFaults(errors), { errors });
}

const names = catalogue.map(({ name }) => name);
/** What `check`, `limit` and `before` may say; the OpenAPI document has the same. */
export const checkChoice = z.enum(names, `Give one of: ${names.join(', ')}.`);
export const limitText = /^(?:[1-9][0-9]?|100)$/;
export const cursorText = /^[0-9]{1,15}-[0-9a-f]{32}$/;
const limitFault = `Give a whole number from 1 to ${limitLimit}.`;

function pageParameters(policy: TargetPolicy) {
  return z.object({
    ...filterShape(policy),
    limit: z.string().regex(limitText, limitFault).transform(Number).default(usualLimit),
    before: z
      .string()
      .regex(cursorText, 'Give `next` of the page before, as it came.')
      .transform(readCursor)
      .optional(),
  });
}

/** The parameters that choose among an account's reports. */
export function filterShape(policy: TargetPolicy) {
  return {
    // As the tools write it, so that what was asked is what is found.
    target: z
      .string()
      .transform((text, context) => {
        const read = text.includes('://') ? readUrl(text, policy) : parseDomain(text, policy);
        if (read.ok) return read.value;
        context.addIssue({ code: 'custom', message: tellFault(read.fault) });
        return z.NEVER;
      })
      .optional(),
    check: checkChoice.optional(),
  };
}

function readUrl(text: string, policy: TargetPolicy): Parsed<string> {
  const url = parseHttpUrl(text, policy);
  return url.ok ? { ok: true, value: url.value.href } : url;
}

/** What `before` of the next page says. */
export function cursorOf({ checkedAt, reportId }: Grant): string {
  return `${checkedAt}-${reportId}`;
}

/** The place that a `next` names. */
export function readCursor(text: string): Pick<Grant, 'checkedAt' | 'reportId'> {
  const [checkedAt = '', reportId = ''] = text.split('-');
  return { checkedAt: Number(checkedAt), reportId };
}
