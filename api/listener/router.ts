import type { CheckSpec } from '#shared/catalogue/spec';
import type { Answer } from '../request/exchange.ts';

/** What a path leads to. */
export type Found = {
  readonly pattern: string;
  readonly answer: Answer;
  readonly params: Readonly<Record<string, string>>;
};

/** The routes of the service. */
export type Router = {
  /** Adds a route: a path in which a segment such as ":id" stands for any segment that is not empty. The first that fits is taken. */
  add(pattern: string, answer: Answer): void;
  /** The route of a path, letter by letter: neither case nor a slash at the end is passed over. */
  find(path: string): Found | undefined;
};

type Route = { readonly pattern: string; readonly parts: readonly string[]; readonly answer: Answer };

const noParams: Found['params'] = {};

/** Opens a router. Express would compare each path with all routes in turn, and its middlewares cost more than most answers. */
export function openRouter(): Router {
  const exact = new Map<string, Found>();
  const routes: Route[] = [];
  return {
    add(pattern, answer) {
      if (pattern.includes(':')) routes.push({ pattern, parts: pattern.split('/'), answer });
      else exact.set(pattern, { pattern, answer, params: noParams });
    },
    find(path) {
      const found = exact.get(path);
      if (found) return found;
      const segments = path.split('/');
      const route = routes.find(({ parts }) => fits(parts, segments));
      return route && { pattern: route.pattern, answer: route.answer, params: readParams(route, segments) };
    },
  };
}

/** The pattern of a tool's route. */
export function toolPattern({ name, targetKind }: Pick<CheckSpec, 'name' | 'targetKind'>): string {
  return `/api/tools/${name}${targetKind === 'domain' ? '/:domain' : ''}`;
}

/** The path of a request's address, which may also be whole ("http://host/path"). */
export function pathOf(address: string): string {
  if (!address.startsWith('/')) return URL.parse(address)?.pathname ?? address;
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

// Throws a URIError for what is not percent-encoded UTF-8.
function readParams({ parts }: Route, segments: readonly string[]): Found['params'] {
  const names = parts.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), decodeURIComponent(segments[index] ?? '')] as const] : [],
  );
  return Object.fromEntries(names);
}
