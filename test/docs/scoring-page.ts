import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Severity, severities } from '#shared/model/verdict';
import { withTable } from './marked-table.ts';

/** docs/scoring.md with its table of all checks' rules made anew. */
export function makeScoringPage(): string {
  const rows = catalogue.map(({ name, rules }) => [
    name,
    Object.keys(rules).length,
    ...severities.map((severity) => cellOf(rules, severity)),
  ]);
  const head = ['check', 'rules', ...severities];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return withTable('docs/scoring.md', 'rules', lines.join('\n'));
}

/** How many rules of this severity there are, and their fewest and most points. */
function cellOf(rules: CheckSpec['rules'], wanted: Severity): string {
  const points = Object.values(rules).flatMap(({ severity, points }) =>
    severity === wanted ? [points] : [],
  );
  return points.length === 0 ? '–' : `${points.length}: ${Math.min(...points)}–${Math.max(...points)}`;
}
