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

const results = new URL('results/', import.meta.url);
const page = new URL('../docs/performance.md', import.meta.url);

/** Keeps what a bench found out, with machine and date, in place of what it found out before: bench/results/<name>.md. */
export function keepSection(name: string, section: Section): void {
  writeFileSync(new URL(`${name}.md`, results), writeSection(name, section, new Date()));
}

/** Writes docs/performance.md from what is kept. @param names the benches in the order of the page */
export function writePage(names: readonly string[]): void {
  const kept = new Set(readdirSync(results));
  const sections = names
    .filter((name) => kept.has(`${name}.md`))
    .map((name) => readFileSync(new URL(`${name}.md`, results), 'utf8'));
  writeFileSync(page, [intro, ...sections].join('\n'));
  console.log(`written: ${fileURLToPath(page)}`);
}

const intro = `# Performance

\`npm run bench all\` runs every bench and writes this page of what they keep in bench/results; \`npm run bench <name>\` renews one section. A load above the number of cores means that other work ran beside: then times are longer than on a quiet machine, and CPU time somewhat. Wherever there is something to compare with, it is measured in the same run, by turns: the ratio then holds on another machine too, and where other work runs beside. docs/soak.md has what grows over half an hour, docs/operating.md what one Redis holds.
`;

function writeSection(name: string, { title, about, columns, rows, limits }: Section, now: Date): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return `## ${title}

\`npm run bench ${name}\`, ${now.toISOString().slice(0, 10)}, ${machine()}. ${about}

${line(columns)}
${line(columns.map((_, index) => (index === 0 ? '---' : '---:')))}
${rows.map(line).join('\n')}

What limits: ${limits}
`;
}

function machine(): string {
  const [first] = cpus();
  const model = first?.model.replace(/\s+/g, ' ').trim() ?? '';
  return `${cpus().length} × ${model === '' || model === 'unknown' ? arch() : model}, Linux ${release().split('-')[0]}, Node ${process.versions.node}, load ${(loadavg()[0] ?? 0).toFixed(0)}`;
}
