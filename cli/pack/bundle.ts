import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
};

/**
 * Copies packages, with all that they depend on, from this clone's node_modules to another folder, each to the same place.
 * What is optional to a package is left out: here that is compiled code, which an install script would fetch or build.
 * @param names of packages directly in node_modules
 */
export function copyPackages(names: readonly string[], folder: string): void {
  const copied = new Set<string>();
  const waiting = names.map((name) => ({ name, from: '.' }));
  for (const { name, from } of waiting) {
    const path = findPackage(name, from);
    if (copied.has(path)) continue;
    copied.add(path);
    const isOwnFile = (source: string) => !source.startsWith(join(path, 'node_modules'));
    cpSync(path, join(folder, path), { recursive: true, filter: isOwnFile });
    const { dependencies = {} } = readManifest(join(path, 'package.json'));
    waiting.push(...Object.keys(dependencies).map((other) => ({ name: other, from: path })));
  }
}

const actedUpon = new Set(['scripts', 'gypfile', 'optionalDependencies', 'devDependencies']);

/**
 * Takes out of the manifests below a folder what npm would act upon at the user's: scripts, and packages that are not there.
 * A file binding.gyp is one more: npm builds it without being asked.
 */
export function quietPackages(folder: string): void {
  for (const path of globSync(`${folder}/**/node_modules/{*,@*/*}/package.json`)) {
    const kept = Object.entries(readManifest(path)).filter(([field]) => !actedUpon.has(field));
    writeFileSync(path, JSON.stringify(Object.fromEntries(kept)));
  }
  const built = globSync(`${folder}/**/{binding.gyp,*.node}`);
  if (built.length > 0) throw new Error(`Compiled code cannot travel: ${built.join(', ')}`);
}

/** As Node looks for it: beside the package that asks, then in each folder above. */
function findPackage(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
    if (at === '.') throw new Error(`${name}, which ${from} depends on, is not installed: run npm ci.`);
  }
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
