import { type RouteRule, routeTable } from '../../api/listener/route-table.ts';
import { type BodyBounds, bodyBounds } from '../../api/request/body-bounds.ts';
import { withTable } from './marked-table.ts';

const path = 'docs/callers.md';

/** The page of callers with the table of all requests that change something: their bodies, their price and what bounds what they keep. */
export function makeCallersPage(): string {
  const rows = routeTable.flatMap((rule) => {
    if (rule.method === 'GET') return [];
    return [
      `| \`${rule.method} ${rule.pattern.replaceAll(/:(\w+)/g, '{$1}')}\` | ${bodyOf(rule)} | ${priceOf(rule)} | ${rule.writes?.keeps ?? ''} |`,
    ];
  });
  const head = [
    '| request | body | points of `writes` | what it keeps, and its bound |',
    '|---|---|---|---|',
  ];
  return withTable(path, 'writes', ['', ...head, ...rows, ''].join('\n'));
}

function bodyOf({ writes }: RouteRule): string {
  const bounds: BodyBounds | undefined = writes?.body && bodyBounds[writes.body];
  if (!bounds) return 'none';
  const { bytes, depth, nodes, lines, types } = bounds;
  const json = depth > 0 ? [`${depth} levels, ${grouped(nodes)} values`] : [];
  const list = types.some((type) => type.includes('ndjson')) ? [`${grouped(lines)} lines`] : [];
  return [`${grouped(bytes)} bytes`, ...json, ...list].join(', ');
}

function priceOf({ writes, cost }: RouteRule): string {
  const points = writes?.points ?? 0;
  const ofBody = writes?.body && bodyBounds[writes.body].bytes > 65_536 ? ' and 1 for each 64 kB' : '';
  const scans = cost === 'check' ? ', and scans' : '';
  return `${points}${ofBody}${scans}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
