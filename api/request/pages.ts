import type { Request } from 'express';
import { z } from 'zod';
import { describeFaults, type InputError, Problem } from '#shared/model/problem';
import { readOwnQuery } from './read-query.ts';

/** Reads the query of a list by its parameters. Throws the Problem that names every fault. */
export function readParameters<Shape extends z.ZodRawShape>(
  parameters: z.ZodObject<Shape>,
  request: Request,
): z.infer<z.ZodObject<Shape>> {
  const sent = readOwnQuery(request, Object.keys(parameters.shape));
  const parsed = parameters.safeParse(sent);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }): InputError => ({
    in: 'query',
    name: String(path[0]),
    detail: message,
  }));
  throw new Problem('invalid_request', describeFaults(errors), { errors });
}

/** The most items of a page. */
export const mostOfPage = 100;

/** What `limit` and the `before` of most lists may say; the OpenAPI document has the same. */
export const limitText = /^(?:[1-9][0-9]?|100)$/;
export const cursorText = /^[0-9]{1,15}-[0-9a-f]{32}$/;

/** The parameter `limit` of a list. @param usual where it is left out */
export function limitParameter(usual = 20) {
  return z
    .string()
    .regex(limitText, `Give a whole number from 1 to ${mostOfPage}.`)
    .transform(Number)
    .default(usual);
}

/** Most characters of a `before`: the cursor of a list may be a URL. A length and no repetition in a pattern, as RE2 repeats 1,000 times at most. */
export const longestBefore = 8192;

/** The parameter `before` of a list. @param read makes a place of a text that has the form */
export function beforeParameter<Place>(form: RegExp, read: (text: string) => Place) {
  const fault = 'Give `next` of the page before, as it came.';
  return z.string().regex(form, fault).max(longestBefore, fault).transform(read).optional();
}

/** A page of what was found, of which one more than the limit was asked for: that tells whether there is a next page. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { readonly shown: readonly Item[]; readonly next: string | null } {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: found.length > limit && last !== undefined ? cursorOf(last) : null };
}
