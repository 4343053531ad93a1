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
  /** The share of all cores that other work had meanwhile; undefined where that is not known. */
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

These figures help you to choose machines and settings. To measure them on your machine:

- \`npm run bench all\` measures every section and writes this page. It takes about two hours on two cores; \`fairness\` and \`retention\` take most of them.
- \`npm run bench <name>\` measures one section again. Each section ends with its name, its date and its machine.
- A bench that needs a program which is not there says so. The page then keeps the last figures of that section.

How to read a ratio: the bench measures the service and its reference by turns in the same run. A ratio therefore also holds on other machines and on busy ones. A time or a rate does not: it holds for the machine that the section names. Each section says how much of the machine other work used. Above a few percent, times are longer than on a quiet machine.

More figures: \`npm run soak\` shows what grows over half an hour. [operating.md](operating.md) tells what one Redis holds, and the memory of a busy worker. \`node test/lab/ssl-check/against-sslscan.ts\` measures ssl-check beside sslscan, and \`node test/browser/pagespeed-check/against-cli.ts\` page loads beside Lighthouse’s command line.
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
