import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { compile } from './build.ts';

/** Builds the client into a folder: one file, minified, as users install it into pages, and the types that it leads to. */
export async function buildClient(folder: string): Promise<void> {
  await build({
    input: 'client/diagnostics.ts',
    platform: 'neutral',
    output: { file: join(folder, 'diagnostics.js'), format: 'esm', minify: true },
  });
  compile('client/tsconfig.json', folder);
  const reached = reachTypes(folder, 'diagnostics');
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const path = join(folder, name);
    if (!reached.has(name)) rmSync(path);
    else {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, makeCompact(name === 'api-types.d.ts' ? shortenTypes(text) : text));
    }
  }
}

function reachTypes(folder: string, name: string, reached = new Set<string>()): ReadonlySet<string> {
  const file = `${name}.d.ts`;
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const [, other = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/from '\.\/(.+?)\.[jt]s'/g))
    reachTypes(folder, other, reached);
  return reached;
}

/** Comments of the types of answers are kept up to this length. */
const commentMost = 66;

/** The types of answers are the largest file by far. Long comments stand in the OpenAPI document alone, and who changes an answer that was read is not stopped. */
function shortenTypes(text: string): string {
  return text
    .replace(/^ *\/\*\* (.*?) \*\/\n/gm, (line, words: string) => (words.length > commentMost ? '' : line))
    .replace(/\breadonly /g, '')
    .replace(/\bReadonlyArray<(\w+)>/g, '$1[]');
}

/** The compiler writes a field a line; here an object without comments takes one, and a step is a tab. */
function makeCompact(text: string): string {
  const joined = text.replace(/\{\n([^{}*]*)\n *\}/g, (whole, fields: string) => {
    const line = `{ ${fields.trim().replace(/\n\s*/g, ' ')} }`;
    return line.length > 160 ? whole : line;
  });
  return joined === text
    ? text.replace(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4))
    : makeCompact(joined);
}
