import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { type Severity, severities } from '#shared/model/verdict';

const page = readFileSync(join(import.meta.dirname, '../../docs/scoring.md'), 'utf8');

test.for(catalogue)('docs/scoring.md has the figures of $name', ({ name, rules }) => {
  const cells = severities.map((severity) => describe(rules, severity));
  expect(page).toContain(`| ${name} | ${Object.keys(rules).length} | ${cells.join(' | ')} |`);
});

function describe(rules: CheckSpec['rules'], wanted: Severity): string {
  const points = Object.values(rules).flatMap(({ severity, points }) =>
    severity === wanted ? [points] : [],
  );
  return points.length === 0 ? '–' : `${points.length}: ${Math.min(...points)}–${Math.max(...points)}`;
}
