import { globSync } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { findSites, type Site } from './mutation-sites.ts';

/** One change to one file. */
export type Mutant = Site & {
  readonly id: number;
  /** Its path below the root of the project. */
  readonly file: string;
};

/** What is changed: judges, and whatever reads what a target sends. */
const folders = [
  'worker/checks',
  'worker/certificates',
  'worker/dns',
  'worker/web',
  'shared/targets',
  'worker/probes/dns/{message,name,rdata,service-parameters}.ts',
];

/** Gathering asks and decides nothing; a report's own fields are compared with golden files; `refresh` writes our own data. */
const isJudge = (file: string) => !/\/(gather|report)[^/]*(\/|\.ts$)|\/index\.ts$|registry\.ts$/.test(file);

/** The files that mutants are made of, below `root`. @param only a part of the path that each must have */
export function judgedFiles(root: string, only: string): readonly string[] {
  return folders
    .flatMap((folder) => globSync(folder.endsWith('.ts') ? folder : `${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => isJudge(file) && file.includes(only))
    .toSorted();
}

/**
 * Draws mutants: the same ones for the same seed and the same sources. None that the compiler refuses, as nobody can
 * commit it; and no two of them overlap, so that all can stand in the sources at once.
 */
export function drawMutants(
  root: string,
  { count, seed, only }: { readonly count: number; readonly seed: number; readonly only: string },
): readonly Mutant[] {
  const changed = new Map<string, string>();
  const api = new API({ cwd: root, fs: { readFile: (path) => changed.get(path) } });
  try {
    const config = join(root, 'tsconfig.json');
    const { program } = projectOf(api.updateSnapshot({ openProjects: [config] }));
    const sources = judgedFiles(root, only).flatMap((file) => {
      const source = program.getSourceFile(join(root, file));
      return source ? [{ file, text: source.text, sites: findSites(source) }] : [];
    });
    const all = sources.flatMap(({ file, text, sites }) => sites.map((site) => ({ file, text, site })));
    const taken: Mutant[] = [];
    for (const { file, text, site } of shuffle(all, seed)) {
      if (taken.length >= count) break;
      if (taken.some((other) => other.file === file && other.at < site.end && site.at < other.end)) continue;
      const path = join(root, file);
      changed.set(path, text.slice(0, site.at) + site.to + text.slice(site.end));
      const mutated = projectOf(api.updateSnapshot({ fileChanges: { changed: [path] } }));
      const isRefused = [
        ...mutated.program.getSyntacticDiagnostics(path),
        ...mutated.program.getSemanticDiagnostics(path),
      ].length;
      changed.set(path, text);
      api.updateSnapshot({ fileChanges: { changed: [path] } });
      if (isRefused === 0) taken.push({ ...site, id: taken.length, file });
    }
    return taken;
  } finally {
    api.close();
  }
}

function projectOf(snapshot: ReturnType<API['updateSnapshot']>) {
  const [project] = snapshot.getProjects();
  if (!project) throw new Error('the compiler has not opened the project');
  return project;
}

function shuffle<T>(all: readonly T[], seed: number): readonly T[] {
  const mixed = [...all];
  let state = seed;
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (last + 1);
    const [a, b] = [mixed[last], mixed[other]];
    if (a === undefined || b === undefined) continue;
    mixed[last] = b;
    mixed[other] = a;
  }
  return mixed;
}
