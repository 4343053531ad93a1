// npm run pack: leaves dist/client.tgz and dist/tool.tgz, which is what a user installs, and dist/openapi.json, which describes the API.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { jsonText } from '#shared/render/visible-text';
import { makeOpenapi } from '../../api/descriptions/document.ts';
import { buildClient } from './build-client.ts';
import { buildTool } from './build.ts';
import { copyPackages, quietPackages } from './bundle.ts';
import { bundledPackages, makeBuiltManifest, makeClientManifest, makeToolManifest } from './manifests.ts';

const output = resolve(process.argv[2] ?? 'dist');
const stage = mkdtempSync(join(tmpdir(), 'diag-pack-'));
mkdirSync(output, { recursive: true });
try {
  await packClient(join(stage, 'client'));
  packTool(join(stage, 'tool'));
  writeFileSync(join(output, 'openapi.json'), `${jsonText(makeOpenapi(), 2)}\n`);
} finally {
  rmSync(stage, { recursive: true });
}

async function packClient(folder: string): Promise<void> {
  await buildClient(folder);
  cpSync('LICENSE', join(folder, 'LICENSE'));
  cpSync('client/README.md', join(folder, 'README.md'));
  writeManifest(folder, makeClientManifest());
  pack(folder, 'client.tgz');
}

function packTool(folder: string): void {
  buildTool(join(folder, 'dist'));
  mkdirSync(join(folder, 'cli'));
  cpSync('cli/diag.js', join(folder, 'cli/diag.js'));
  for (const name of ['LICENSE', 'README.md']) cpSync(name, join(folder, name));
  writeManifest(join(folder, 'dist'), makeBuiltManifest());
  writeManifest(folder, makeToolManifest());
  copyPackages(bundledPackages, folder);
  execFileSync(process.execPath, ['deploy/image/prune-modules.ts', join(folder, 'node_modules')]);
  quietPackages(folder);
  pack(folder, 'tool.tgz');
}

function writeManifest(folder: string, manifest: object): void {
  writeJson(join(folder, 'package.json'), manifest);
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function pack(folder: string, name: string): void {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', stage, folder];
  const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' })) as { filename: string }[];
  if (!packed) throw new Error(`npm packed nothing of ${name}.`);
  cpSync(join(stage, packed.filename), join(output, name));
  rmSync(join(stage, packed.filename));
}
