import type { NextFunction, Request, Response } from 'express';

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
export function announceDeprecations(list: readonly Deprecation[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const found = findDeprecation(list, request.url);
    if (found) {
      response.setHeader('Deprecation', `@${Math.floor(found.since / 1000)}`);
      if (found.sunset !== undefined) response.setHeader('Sunset', new Date(found.sunset).toUTCString());
      response.appendHeader('Link', `<${found.link}>; rel="deprecation"; type="text/html"`);
    }
    next();
  };
}

/** The deprecation of an address, if its path has one. */
export function findDeprecation(list: readonly Deprecation[], url: string): Deprecation | undefined {
  return list.find(({ path }) => url.startsWith(path));
}
