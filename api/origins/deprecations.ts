import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';

/** A path that will end, and what to use instead. */
export type Deprecation = {
  /** All paths that begin so. */
  readonly path: string;
  /** When it became deprecated, Unix ms. */
  readonly since: number;
  /** When it may stop working, Unix ms. */
  readonly sunset?: number;
  /** What says more: an address for people. */
  readonly link: string;
};

/** Nothing is deprecated today; a path that will be is announced here first. */
export const deprecations: readonly Deprecation[] = [];

/** Tells callers of a deprecated path, on every answer: Deprecation (RFC 9745), Sunset (RFC 8594), and a link. */
export function announceDeprecation(
  list: readonly Deprecation[],
  { url = '' }: IncomingMessage,
  response: Response,
): void {
  const found = findDeprecation(list, url);
  if (!found) return;
  response.setHeader('Deprecation', `@${Math.floor(found.since / 1000)}`);
  if (found.sunset !== undefined) response.setHeader('Sunset', new Date(found.sunset).toUTCString());
  response.appendHeader('Link', `<${found.link}>; rel="deprecation"; type="text/html"`);
}

/** The deprecation of an address, if its path has one. */
export function findDeprecation(list: readonly Deprecation[], url: string): Deprecation | undefined {
  return list.find(({ path }) => url.startsWith(path));
}
