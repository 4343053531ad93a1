import { catalogue } from '#shared/catalogue/registry';
import { batchPatterns } from '../batches/routes.ts';
import { mcpPath } from '../mcp/path.ts';
import { schemaPattern } from '../openapi/report-schema.ts';
import { jobPattern } from '../tools/answer-job.ts';
import { probePattern } from '../tools/answer-probe.ts';
import { toolPattern } from '../tools/tool-pattern.ts';

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
  { method: 'POST', pattern: mcpPath, access: 'tools', crossSite: 'refused', cost: 'check' },
  ...free('open', '/api/me', '/api/findings', '/openapi.json', '/problems/:code', '/docs', '/owners'),
  ...free(
    'open',
    '/',
    '/session',
    '/go',
    '/assets/:name',
    '/robots.txt',
    '/llms.txt',
    '/favicon.ico',
    '/api/badge/:file',
  ),
  ...free('open', schemaPattern),
  ...free('tools', '/d/:domain', '/d/:domain/:check', '/u/:check'),
  ...starts('open', '/go'),
  { method: 'POST', pattern: '/session', access: 'open', crossSite: 'refused', cost: 'none' },
  // Its key is in the message that led there; a mail program sends the second POST by itself.
  ...free('open', '/mail/confirm', '/mail/stop'),
  { method: 'POST', pattern: '/mail/confirm', access: 'open', crossSite: 'refused', cost: 'none' },
  { method: 'POST', pattern: '/mail/stop', access: 'open', crossSite: 'refused', cost: 'none' },
  ...starts('tools', '/d/:domain', '/d/:domain/:check', '/u/:check'),
  { method: 'GET', pattern: '/r/:id', access: 'shared', crossSite: 'stored', cost: 'pdf' },
  { method: 'GET', pattern: '/r/:id/export', access: 'shared', crossSite: 'stored', cost: 'pdf' },
  ...free('shared', '/r/:id/filmstrip.svg'),
  ...free('reports:read', '/api/reports', '/api/reports/:id', '/api/reports/:id/screenshot'),
  ...free('reports:read', '/api/reports/:a/diff/:b'),
  ...free('history', '/api/history/:domain', '/api/compare', '/compare'),
  ...starts('tools', '/compare'),
  ...free('own', batchPatterns.all, batchPatterns.one, batchPatterns.results),
  { method: 'POST', pattern: batchPatterns.all, access: 'own', crossSite: 'refused', cost: 'check' },
  { method: 'DELETE', pattern: batchPatterns.one, access: 'own', crossSite: 'refused', cost: 'none' },
  ...ofWatches('GET', 'none', '', '/:id', '/:id/targets', '/:id/deliveries'),
  ...ofWatches('POST', 'check', '', '/:id/test', '/:id/deliveries/:delivery/replay'),
  ...ofWatches('POST', 'none', '/:id/secret', '/links'),
  ...ofWatches('PATCH', 'check', '/:id'),
  ...ofWatches('DELETE', 'none', '/:id'),
  ...free('watch', '/watches', '/watches/:id'),
  { method: 'POST', pattern: '/watches/:id', access: 'watch', crossSite: 'refused', cost: 'check' },
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
