import type { Request } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Services } from '../services.ts';

/** What the web pages take of the services. */
export type PageServices = Pick<
  Services,
  | 'kept'
  | 'telemetry'
  | 'origins'
  | 'limits'
  | 'bodies'
  | 'sessions'
  | 'questions'
  | 'readAsk'
  | 'targetPolicy'
  | 'reports'
  | 'jobs'
  | 'readSoFar'
  | 'site'
  | 'watches'
  | 'watchLimits'
>;

/** Prefix of the page's own links: the path of PUBLIC_URL. Without its host, so that the page also works by the address of the machine. */
export function basePathOf({ publicPath }: PageServices['site']): string {
  return publicPath === '' ? '' : new URL(publicPath).pathname.replace(/\/$/, '');
}

/** What a program puts before a path: PUBLIC_URL, or the address that this request came to. */
export function originOf({ site }: Pick<PageServices, 'site'>, { headers }: Request): string {
  return site.publicPath === '' ? `http://${headers.host ?? 'localhost'}` : site.publicPath;
}

/** The check of a domain's first page. */
export const mainCheck = 'domain-health';

/**
 * The path of a check's page, without the prefix: /d/{domain} for domain-health, /d/{domain}/{check} for the other checks of
 * a domain, /u/{check}?url= for those of a URL.
 * @param query of the tool's own options, as it was sent; "" for none
 */
export function pagePath(check: string, target: string, query = ''): string {
  const spec = findSpec(check);
  if (spec?.targetKind === 'url')
    return withQuery(`/u/${check}`, joined(`url=${encodeURIComponent(target)}`, query));
  return withQuery(`/d/${encodeURIComponent(target)}${check === mainCheck ? '' : `/${check}`}`, query);
}

/**
 * The address of the tool that a page stands for, without the prefix.
 * @param segment the domain as it stands in the path, for a check of domains
 */
export function toolPath(spec: CheckSpec, segment: string, query: string): string {
  const path = `/api/tools/${spec.name}`;
  return withQuery(spec.targetKind === 'domain' ? `${path}/${segment}` : path, query);
}

/** What a page reads beside the options of its tool: a run that goes on, a part of a report, and what was asked again. */
const ownParameters: readonly string[] = ['job', 'part', 'again', 'recheck', 'page'];

/** A query in two: what the page itself reads, and what is left for the tool, as it was sent. */
export function splitQuery(raw: string): { readonly own: URLSearchParams; readonly rest: string } {
  const pairs = raw.split('&').filter((pair) => pair !== '');
  const isOwn = (pair: string) => ownParameters.includes(pair.split('=', 1)[0] ?? '');
  return {
    own: new URLSearchParams(pairs.filter(isOwn).join('&')),
    rest: pairs.filter((pair) => !isOwn(pair)).join('&'),
  };
}

/** An address with one more parameter. */
export function withParameter(address: string, name: string, value: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

function joined(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
