import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The rooms of `shared`, the lowest first: a room imports only itself and lower ones. */
const floors = [
  'model',
  'ports',
  'targets',
  'catalogue',
  'health',
  'render',
  'mcp',
  'settings',
  'time',
  'telemetry',
  'backends',
  'queue',
  'stores',
  'limits',
  'ask',
  'lifecycle',
].map((room) => `shared/${room}`);

/** Folder → the folders that it may import. What is not listed imports nothing of ours but itself. */
const mayImport: { readonly [folder: string]: readonly string[] } = {
  ...Object.fromEntries(floors.map((room, at) => [room, floors.slice(0, at)])),
  api: ['shared'],
  'worker/probes': ['shared', 'worker/certificates'],
  'worker/dns': ['shared', 'worker/probes'],
  'worker/certificates': ['shared/model'],
  'worker/web': ['shared', 'worker/probes'],
  'worker/fixes': ['shared', 'worker/web'],
  'worker/mail': ['shared', 'worker/probes', 'worker/dns'],
  'worker/checks': [
    'shared',
    'worker/probes',
    'worker/fixes',
    'worker/web',
    'worker/mail',
    'worker/certificates',
    'worker/dns',
  ],
  'worker/visit': ['shared', 'worker/checks', 'worker/probes', 'worker/run', 'worker/web'],
  'worker/run': ['shared', 'worker/checks', 'worker/probes', 'worker/visit', 'worker/web'],
  'worker/supervise': ['shared', 'worker'],
  'worker/start': ['shared', 'worker'],
  'worker/refresh': ['worker'],
  worker: ['shared', 'worker/probes'],
  client: [],
  cli: ['shared', 'api', 'worker', 'client', 'cli'],
};

const files = Object.keys(mayImport).flatMap((folder) => globSync(`${folder}/**/*.ts`));

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import\(?)\s*'([.#][^']+)'/g)].map(([, path = '']) =>
    path.startsWith('#') ? path.slice(1) : normalize(join(dirname(file), path)),
  );
}

function folderOf(file: string): string {
  const folders = Object.keys(mayImport).filter((folder) => file.startsWith(`${folder}/`));
  return folders.sort((a, b) => b.length - a.length)[0] ?? '';
}

test('every file imports only what its folder may', () => {
  const wrong = [...new Set(files)].flatMap((file) => {
    const folder = folderOf(file);
    const allowed = [folder, ...(mayImport[folder] ?? [])];
    return importsOf(file)
      .filter((path) => !allowed.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
      .map((path) => `${file} imports ${path}`);
  });
  expect(wrong).toEqual([]);
});

test('each file of shared stands in a room, and the house lists the rooms from the lowest to the highest', () => {
  const rooms = new Set(globSync('shared/**/*').flatMap((path) => path.split('/').slice(1, 2)));
  expect([...rooms].sort()).toEqual(floors.map((room) => room.slice('shared/'.length)).sort());
  const house = readFileSync('docs/architecture.md', 'utf8');
  expect([...house.matchAll(/^\| `(shared\/\w+)` \|/gm)].map(([, room]) => room)).toEqual(floors);
});

test('a check’s folder imports no other check’s', () => {
  const wrong = files
    .filter((file) => /^worker\/checks\/[^/]+\//.test(file))
    .flatMap((file) => {
      const own = file.split('/').slice(0, 3).join('/');
      return importsOf(file).filter(
        (path) => /^worker\/checks\/[^/]+\//.test(path) && !path.startsWith(`${own}/`),
      );
    });
  expect(wrong).toEqual([]);
});

/** Where no files import each other in a circle, types included. */
const withoutCircles = ['shared', 'api', 'worker', 'client', 'cli'];

/** The groups of files of which each imports, directly or through others, all of its group (Tarjan's algorithm). */
function circlesAmong(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const met = new Map<string, number>();
  const open: string[] = [];
  const groups: string[][] = [];
  const earliestFrom = (file: string): number => {
    const known = met.get(file);
    if (known !== undefined) return open.includes(file) ? known : Infinity;
    const own = met.size;
    met.set(file, own);
    open.push(file);
    const earliest = Math.min(own, ...(imports.get(file) ?? []).map((next) => earliestFrom(next)));
    if (earliest === own) groups.push(open.splice(open.indexOf(file)));
    return earliest;
  };
  for (const file of imports.keys()) earliestFrom(file);
  return groups.filter((group) => group.length > 1);
}

test('no files import each other in a circle', () => {
  const sample = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [] };
  expect(circlesAmong(new Map(Object.entries(sample)))).toEqual([['a', 'b', 'c']]);
  const imports = withoutCircles
    .flatMap((folder) => globSync(`${folder}/**/*.ts`))
    .map((file) => [file, importsOf(file).map((path) => `${path.replace(/\.ts$/, '')}.ts`)] as const);
  expect(circlesAmong(new Map(imports))).toEqual([]);
});

test('the rooms of the API stand one above the other: none is in a circle with others', () => {
  const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');
  const rooms = new Map<string, string[]>();
  for (const file of globSync('api/**/*.ts')) {
    const room = roomOf(file);
    const others = importsOf(file)
      .filter((path) => path.startsWith('api/'))
      .map(roomOf);
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((other) => other !== room)]);
  }
  expect(circlesAmong(rooms)).toEqual([]);
});

test('the map has every folder that is there, none that is gone, and a short list of words', () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const [house = '', words = ''] = [/## The house([\s\S]*?)\n## /, /## Words([\s\S]*?)\n## /].map(
    (part) => part.exec(page)?.[1],
  );
  const named = [...house.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder),
  );
  const there = globSync('{api,worker,shared}/*/').map((folder) => folder.replace(/\/$/, ''));
  expect(there.filter((folder) => !named.includes(folder))).toEqual([]);
  expect(named.filter((folder) => folder === undefined || !existsSync(folder))).toEqual([]);
  expect([...words.matchAll(/^\| (?!Word|Stage|-)/gm)].length).toBeLessThanOrEqual(48);
});
