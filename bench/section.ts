import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release } from 'node:os';
import { fileURLToPath } from 'node:url';

/** What a bench found out, as docs/performance.md shows it. */
export type Section = {
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** What limits these figures now, in a sentence or two. */
  readonly limits: string;
};

/** Under which conditions it was measured. */
export type Conditions = {
  readonly at: Date;
  readonly seconds: number;
  /** The share of all cores that other work had meanwhile; undefined where that cannot be told. */
  readonly otherWork: number | undefined;
};

const results = new URL('results/', import.meta.url);
const page = new URL('../docs/performance.md', import.meta.url);

/** Keeps what a bench found out in place of what it found out before: bench/results/<name>.md. */
export function keepSection(name: string, section: Section, conditions: Conditions): void {
  writeFileSync(new URL(`${name}.md`, results), writeSection(name, section, conditions));
}

/** Writes docs/performance.md from what is kept. @param names the benches in the order of the page @returns its path */
export function writePage(names: readonly string[]): string {
  writeFileSync(page, pageOf(names));
  return fileURLToPath(page);
}

/** The text of docs/performance.md from what is kept. @param names the benches in the order of the page */
export function pageOf(names: readonly string[]): string {
  const kept = new Set(readdirSync(results));
  const sections = names
    .filter((name) => kept.has(`${name}.md`))
    .map((name) => readFileSync(new URL(`${name}.md`, results), 'utf8'));
  return [intro, ...sections].join('\n');
}

const intro = `# Performance

\`npm run bench all\` measures everything on this page and writes it. It takes about 25 minutes on two cores, and the mutants of the last section up to an hour more. \`npm run bench <name>\` measures one section again. What a bench needs and does not find on the machine, it names; the page then keeps its last section, with that section's date.

Where there is something to compare with, it is measured in the same run, by turns. Such a ratio also holds on other machines and on busy ones. Each section says how much of the machine other work used while it was measured: above a few percent, times are longer than on a quiet machine.

[soak.md](soak.md) shows what grows over half an hour, [operating.md](operating.md) what one Redis holds.
`;

function writeSection(
  name: string,
  { title, about, columns, rows, limits }: Section,
  conditions: Conditions,
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return `## ${title}

${about}

${line(columns)}
${line(columns.map((_, index) => (index === 0 ? '---' : '---:')))}
${rows.map(line).join('\n')}

What limits: ${limits}

\`npm run bench ${name}\`, ${tell(conditions)}.
`;
}

function tell({ at, seconds, otherWork }: Conditions): string {
  const beside =
    otherWork === undefined
      ? `load ${(loadavg()[0] ?? 0).toFixed(1)}`
      : `other work used ${(100 * otherWork).toFixed(0)} % of the machine`;
  return `${at.toISOString().slice(0, 10)}, ${seconds.toFixed(0)} s, ${machine()}; ${beside}`;
}

function machine(): string {
  const [first] = cpus();
  const model = first?.model.replace(/\s+/g, ' ').trim() ?? '';
  return `${cpus().length} × ${model === '' || model === 'unknown' ? arch() : model}, Linux ${release().split('-')[0]}, Node ${process.versions.node}`;
}
