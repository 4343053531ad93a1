import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { batchPatterns } from '../batches/routes.ts';
import { schemaPattern } from '../descriptions/report-schema.ts';
import { mcpPath } from '../origins/front-door.ts';
import type { BodyKind } from '../request/body-bounds.ts';
import { jobPattern } from '../tools/answer-job.ts';
import { probePattern } from '../tools/answer-probe.ts';

/** What is declared of a route. GET means HEAD too; all tell OPTIONS what they take, and refuse other methods. */
export type RouteRule = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As Express has it. */
  readonly pattern: string;
  /**
   * `open`: every caller. `tools`: a token with that scope, in open mode also none. `reports:read`: a token with that scope, in both
   * modes; without report ids nothing is there. `own`: the same with the scope `tools`: what an account has made. `watch`: the same with the
   * scope `watch`. `key`: a token, or a key in the address. `history`: in open mode every caller, else as `reports:read`. `shared`: as `tools`
   * in open mode, as `reports:read` where tokens are needed.
   */
  readonly access: 'open' | 'tools' | 'reports:read' | 'own' | 'watch' | 'key' | 'history' | 'shared';
  /**
   * Of a request that a page of another site caused: `read`: nothing here starts work. `stored`: it gets what is stored, and starts nothing.
   * `refused`: only pages of ours may send it.
   */
  readonly crossSite: 'read' | 'stored' | 'refused';
  /** Points of the scans limit that a run costs: those of its check, those of a page load for a PDF, or none. */
  readonly cost: 'none' | 'check' | 'pdf';
  /** Of a route that changes something. */
  readonly writes?: Writes;
};

/** What a request costs of the policy `writes`, what body it may have, and what becomes of what it writes. */
type Writes = {
  /** Beside one for each 64 kB of its body; 0 where the scans of a run pay for it, or nothing is kept. */
  readonly points: 0 | 1;
  readonly body?: BodyKind;
  /** What is kept, and what bounds it. */
  readonly keeps: string;
};

const onlyRun = 'nothing but the run, which its scans pay for';
const startsRun: Writes = { points: 0, body: 'form', keeps: onlyRun };
const ofKept = 'the quota `kept`';
const watchForms: { readonly [path: string]: Writes } = {
  'POST ': {
    points: 1,
    body: 'watch',
    keeps: `a watch with its targets: \`LIMIT_ACCOUNT_WATCHES\`, 100 of a domain, ${ofKept}`,
  },
  'POST /:id/test': { points: 1, keeps: `an event, 30 days: a scan each, ${ofKept}` },
  'POST /:id/deliveries/:delivery/replay': {
    points: 1,
    keeps: 'nothing more: the event is there, and a scan pays for its attempt',
  },
  'POST /:id/secret': { points: 1, keeps: 'the secret of the watch, and the one before for a day' },
  'POST /links': { points: 1, keeps: 'two digests of an account' },
  'PATCH /:id': { points: 1, body: 'change of a watch', keeps: 'as a new watch' },
  'DELETE /:id': { points: 1, keeps: 'nothing: the watch goes with all of it' },
};

const free = (access: RouteRule['access'], ...patterns: readonly string[]): RouteRule[] =>
  patterns.map((pattern) => ({ method: 'GET', pattern, access, crossSite: 'read', cost: 'none' }));

/** What a form of our own pages sends: it starts a check. The field of the first page also tells who has no token yet where to go. */
const starts = (access: 'open' | 'tools', ...patterns: readonly string[]): RouteRule[] =>
  patterns.map((pattern) => ({
    method: 'POST',
    pattern,
    access,
    crossSite: 'refused',
    cost: 'check',
    writes: startsRun,
  }));

const ofWatches = (
  method: RouteRule['method'],
  cost: RouteRule['cost'],
  ...paths: readonly string[]
): RouteRule[] =>
  paths.map((path) => ({
    method,
    pattern: `/api/watches${path}`,
    access: 'watch',
    crossSite: method === 'GET' ? 'read' : 'refused',
    cost,
    ...(method === 'GET' ? {} : { writes: watchForms[`${method} ${path}`] }),
  }));

/** Every route of the public listener. The app refuses to start with one that is not here. */
export const routeTable: readonly RouteRule[] = [
  ...catalogue.map((spec): RouteRule => ({
    method: 'GET',
    pattern: toolPattern(spec),
    access: 'tools',
    crossSite: 'stored',
    cost: 'check',
  })),
  ...free('tools', jobPattern),
  { method: 'GET', pattern: probePattern, access: 'tools', crossSite: 'stored', cost: 'check' },
  {
    method: 'POST',
    pattern: mcpPath,
    access: 'tools',
    crossSite: 'refused',
    cost: 'check',
    writes: { points: 0, body: 'message', keeps: onlyRun },
  },
  ...free('open', '/api/me', '/api/findings', '/openapi.json', '/problems/:code', '/docs', '/owners'),
  ...free(
    'open',
    '/',
    '/session',
    '/go',
    '/assets/:name',
    '/robots.txt',
    '/llms.txt',
    '/.well-known/security.txt',
    '/favicon.ico',
    '/api/badge/:file',
  ),
  ...free('open', schemaPattern),
  ...free('tools', '/d/:domain', '/d/:domain/:check', '/u/:check'),
  ...starts('open', '/go'),
  {
    method: 'POST',
    pattern: '/session',
    access: 'open',
    crossSite: 'refused',
    cost: 'none',
    writes: { points: 1, body: 'form', keeps: 'a session, 12 h at most: 50 of a token' },
  },
  // Its key is in the message that led there; a mail program sends the second POST by itself.
  ...free('open', '/mail/confirm', '/mail/stop'),
  {
    method: 'POST',
    pattern: '/mail/confirm',
    access: 'open',
    crossSite: 'refused',
    cost: 'none',
    writes: { points: 1, body: 'form', keeps: 'that an address is confirmed: one row of each' },
  },
  {
    method: 'POST',
    pattern: '/mail/stop',
    access: 'open',
    crossSite: 'refused',
    cost: 'none',
    writes: { points: 1, body: 'form', keeps: 'that an address wants no mail: one row of each' },
  },
  ...starts('tools', '/d/:domain', '/d/:domain/:check', '/u/:check'),
  { method: 'GET', pattern: '/r/:id', access: 'shared', crossSite: 'stored', cost: 'pdf' },
  { method: 'GET', pattern: '/r/:id/export', access: 'shared', crossSite: 'stored', cost: 'pdf' },
  ...free('shared', '/r/:id/filmstrip.svg'),
  ...free('reports:read', '/api/reports', '/api/reports/:id', '/api/reports/:id/screenshot'),
  ...free('reports:read', '/api/reports/:a/diff/:b'),
  ...free('history', '/api/history/:domain', '/api/compare', '/compare', '/d/:domain/history'),
  ...starts('tools', '/compare'),
  ...free('own', batchPatterns.all, batchPatterns.one, batchPatterns.results),
  {
    method: 'POST',
    pattern: batchPatterns.all,
    access: 'own',
    crossSite: 'refused',
    cost: 'check',
    writes: {
      points: 1,
      body: 'batch',
      keeps: `a batch, \`REPORT_TTL_DAYS\`: \`LIMIT_ACCOUNT_BATCHES\` open, \`LIMIT_ACCOUNT_TARGETS\` waiting, ${ofKept}; 100 targets that are refused cost a point`,
    },
  },
  {
    method: 'DELETE',
    pattern: batchPatterns.one,
    access: 'own',
    crossSite: 'refused',
    cost: 'none',
    writes: { points: 1, keeps: 'that it is cancelled' },
  },
  ...ofWatches('GET', 'none', '', '/:id', '/:id/targets', '/:id/deliveries'),
  ...ofWatches('POST', 'check', '', '/:id/test', '/:id/deliveries/:delivery/replay'),
  ...ofWatches('POST', 'none', '/:id/secret', '/links'),
  ...ofWatches('PATCH', 'check', '/:id'),
  ...ofWatches('DELETE', 'none', '/:id'),
  ...free('watch', '/watches', '/watches/:id'),
  {
    method: 'POST',
    pattern: '/watches/:id',
    access: 'watch',
    crossSite: 'refused',
    cost: 'check',
    writes: { points: 1, body: 'form', keeps: 'what the same request to `/api/watches` keeps' },
  },
  ...free('key', '/api/watches/feed.atom', '/api/watches/expiries.ics'),
  // A browser sends a token only after a preflight, so no page of another site comes this far.
  {
    method: 'GET',
    pattern: '/api/reports/:id/export',
    access: 'reports:read',
    crossSite: 'stored',
    cost: 'pdf',
  },
];

const declared = new Set(routeTable.map(({ method, pattern }) => `${method} ${pattern}`));

/** Throws for a route that the table does not declare. */
export function requireDeclared(method: RouteRule['method'], pattern: string): void {
  if (!declared.has(`${method} ${pattern}`))
    throw new Error(`the route ${method} ${pattern} is not in the table of routes`);
}

/** The pattern of a tool's path, as Express and log lines have it: "/api/tools/dns-check/:domain". */
export function toolPattern({ name, targetKind }: Pick<CheckSpec, 'name' | 'targetKind'>): string {
  return `/api/tools/${name}${targetKind === 'domain' ? '/:domain' : ''}`;
}
