import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Mutant } from './mutation-plan.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const mutants = JSON.parse(readFileSync(process.env['DIAG_MUTANTS'] ?? '', 'utf8')) as readonly Mutant[];

/** A source with all its mutants in it: each asks as it runs whether it is the one that counts now. */
function withMutants(file: string, text: string): string {
  return mutants
    .filter((mutant) => mutant.file === file)
    .toSorted((a, b) => b.at - a.at)
    .reduce((rest, { id, at, end, from, to, isStatement }) => {
      const asked = `globalThis.diagMutant(${id})`;
      const both = isStatement ? `if (!${asked}) { ${from} }` : `(${asked} ? (${to}) : (${from}))`;
      return rest.slice(0, at) + both + rest.slice(end);
    }, text);
}

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(text, id) {
        const file = id.slice(root.length);
        return mutants.some((mutant) => mutant.file === file) ? withMutants(file, text) : undefined;
      },
    },
  ],
  test: {
    include: ['test/unit/**/*.test.ts'],
    runner: fileURLToPath(new URL('mutation-runner.ts', import.meta.url)),
    // A mutant that never ends takes its process with it, and no other file.
    isolate: true,
    maxWorkers: 2,
    testTimeout: 0,
    hookTimeout: 0,
  },
});
