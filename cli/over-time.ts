import type { Comparison } from '#shared/model/comparison';
import { renderComparisonCsv } from '#shared/render/csv';
import { jsonText } from '#shared/render/visible-text';
import { openServer, type ServerOptions } from './connection.ts';
import { join, openOutput, show } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { type HistoryOptions, readLimit } from './stored.ts';

export type CompareOptions = ServerOptions & { readonly output: 'table' | 'json' | 'csv' };

const { print, pass } = openOutput(() => process.exit(exitStatus.ok));

/** Prints a domain over time, newest first, each point with what changed since the one before. */
export async function printDomainHistory(
  domain: string,
  { output, target, check, since, limit, ...options }: HistoryOptions,
): Promise<void> {
  const most = readLimit(limit);
  const filter = Object.fromEntries(
    Object.entries({ target, check, since }).filter(([, text]) => text !== undefined),
  );
  const points = [];
  for await (const point of openServer(options).domainHistory(domain, filter)) {
    points.push(point);
    if (points.length === most) break;
  }
  if (output === 'json') return pass(`${jsonText(points, 2)}\n`);
  for (const point of points) {
    if (output === 'ndjson') {
      await pass(`${jsonText(point)}\n`);
      continue;
    }
    const { checkedAt, grade, score, state, reportId, news } = point;
    // A service of an earlier release tells neither.
    const { notes = [], recheckedAt: again } = point as Partial<typeof point>;
    const lines = [
      ...(again ? [`${again.check} again at ${again.at}`] : []),
      ...news.map(({ text }) => text),
      ...notes,
    ];
    const score3 = String(score ?? '-').padStart(3);
    await print(show`${checkedAt}  ${(grade ?? '-').padEnd(2)}  ${score3}  ${state.padEnd(11)}  ${reportId}
${join(lines.map((text) => show`    ${text}\n`))}`);
  }
}

/** Prints domains side by side. */
export async function printComparison(
  domains: readonly string[],
  { output, ...options }: CompareOptions,
): Promise<void> {
  const comparison = (await openServer(options).compare(domains)) as Comparison;
  if (output === 'json') return pass(`${jsonText(comparison, 2)}\n`);
  if (output === 'csv') return pass(renderComparisonCsv(comparison));
  const rows = [
    ['', ...comparison.domains.map(({ domain }) => domain)],
    ...comparison.rows.map(({ name, cells }) => [
      name.slice(0, longestName),
      ...cells.map(({ text, verdict, severity }) => (verdict === 'broken' ? `${severity}` : text) || '-'),
    ]),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  for (const row of rows)
    await print(
      show`${row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

const longestName = 60;
