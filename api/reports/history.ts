import type { Request, Response } from 'express';
import { z } from 'zod';
import { catalogue } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import type { Grant } from '#shared/model/grant';
import {
  type Parsed,
  parseDomain,
  parseHttpUrl,
  type TargetPolicy,
  tellFault,
} from '#shared/targets/parse-target';
import { sendJson } from '../answer/json.ts';
import { beforeParameter, cursorText, limitParameter, pageOf, readParameters } from '../request/pages.ts';
import type { ReportServices } from './readable.ts';

type PageQuery = z.infer<ReturnType<typeof pageParameters>>;

/** Answers /api/reports: what was given to the caller's account, newest first, a page at a time. */
export async function answerHistory(
  { reports, site, targetPolicy }: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const page = readParameters(pageParameters(targetPolicy), request);
  const grants = await reports.reportStore.grants.list({
    account: caller.account,
    ...page,
    limit: page.limit + 1,
  });
  const { shown, next } = pageOf(grants, page.limit, cursorOf);
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

function addressOf(publicPath: string, { target, check, limit }: PageQuery, next: string): string {
  const query = new URLSearchParams({
    ...(target === undefined ? {} : { target }),
    ...(check === undefined ? {} : { check }),
    limit: String(limit),
    before: next,
  });
  return `${publicPath}/api/reports?${query.toString()}`;
}

const names = catalogue.map(({ name }) => name);
/** What `check` may say; the OpenAPI document has the same. */
export const checkChoice = z.enum(names, `Give one of: ${names.join(', ')}.`);

function pageParameters(policy: TargetPolicy) {
  return z.object({
    ...filterShape(policy),
    limit: limitParameter(),
    before: beforeParameter(cursorText, readCursor),
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
