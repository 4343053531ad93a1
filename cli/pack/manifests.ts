import { readFileSync } from 'node:fs';

type Manifest = {
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly type: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** What a user adds where pages are to be loaded by it: a browser, 68 MB, of which a machine may have its own (BROWSER_PATH). */
const optionalPackages = ['@sparticuz/chromium'];

const { version, description, keywords, license, type, dependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
) as Manifest;
const isOptional = (name: string) => optionalPackages.includes(name);

/** The packages that the tool's tarball carries. */
export const bundledPackages = Object.keys(dependencies).filter((name) => !isOptional(name));

const optional = Object.fromEntries(Object.entries(dependencies).filter(([name]) => isOptional(name)));

/**
 * The package of the tool. What it needs travels in its tarball (`bundleDependencies`): so overrides and the choice of
 * install scripts, which npm takes from the root project only, hold for its users too.
 */
export function makeToolManifest(): object {
  return {
    name: 'diagnostic-tools',
    version,
    description,
    keywords,
    license,
    type,
    engines: { node: '>=24' },
    bin: { diag: 'cli/diag.js' },
    exports: { './package.json': './package.json' },
    files: ['cli', 'dist'],
    dependencies: Object.fromEntries(bundledPackages.map((name) => [name, dependencies[name]])),
    bundleDependencies: bundledPackages,
    peerDependencies: optional,
    peerDependenciesMeta: Object.fromEntries(Object.keys(optional).map((name) => [name, { optional: true }])),
  };
}

/** What stands above the built code: its version is read there, and Node finds what `#…` stands for. */
export function makeBuiltManifest(): object {
  const imports = { '#shared/*': './shared/*.js' };
  return { name: 'diagnostic-tools', version, type, imports, optional };
}

/** The package of the client, which needs nothing. */
export function makeClientManifest(): object {
  return {
    name: 'diagnostic-tools-client',
    version,
    description: 'A typed client of Diagnostic Tools, for Node, browsers and bundlers. No dependencies.',
    keywords,
    license,
    type,
    engines: { node: '>=20' },
    sideEffects: false,
    exports: {
      '.': { types: './diagnostics.d.ts', default: './diagnostics.js' },
      './package.json': './package.json',
    },
    types: './diagnostics.d.ts',
    files: ['*.js', '*.d.ts'],
  };
}
