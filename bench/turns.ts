import { readdirSync, readFileSync } from 'node:fs';
import type { Report } from '#shared/model/report';
import type { Json } from '#shared/model/verdict';
import { formatNames, renderReport } from '#shared/render/formats';
import { readCorpus, replay } from '../test/kit/corpus.ts';
import { fileOfEvidence, hostileEvidence, targetsOfEvidence } from '../test/kit/hostile-evidence.ts';
import type { Check } from '../worker/checks/check.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { gatherHeaders } from '../worker/checks/security-header-check/gather.ts';
import type { Probes } from '../worker/probes/port.ts';
import { openWork } from '../worker/probes/work.ts';
import { judge } from '../worker/run/judge.ts';
import type { Section } from './section.ts';

const repeats = 20;
type Kind = { readonly name: string; readonly check: string; readonly evidence: readonly Json[] };

/** How long one turn of the event loop is held by judging evidence, and by making a report into each format. */
export async function bench(): Promise<Section> {
  const rows: (string | number)[][] = [];
  for (const kind of [...usual(), await recorded(), ...hostile()]) {
    const check = await findCheck(kind.check);
    if (check) rows.push(rowOf(kind, check));
  }
  return {
    title: 'One turn of the event loop',
    about: `CPU of the thread for judging evidence and for making its report into each format, ms: the mean of ${repeats} repeats, and of several pieces of evidence the longest. The last rows are the longest that a target can send.`,
    columns: ['evidence', 'characters', 'judging', ...formatNames],
    rows,
    limits:
      'the length of what a target sends. Evidence above the limit of worker/run/judge-aside.ts is judged in a thread and is not here.',
  };
}

function usual(): Kind[] {
  return Object.keys(targetsOfEvidence).map((check) => ({
    name: `${check}, as recorded`,
    check,
    evidence: readdirSync(`test/fixtures/${check}`)
      .filter((file) => file.endsWith('.json'))
      .map((file) => fixture(check, file)),
  }));
}

/** Chains of real sites, where they are beside the checkout. */
async function recorded(): Promise<Kind> {
  const check = 'security-header-check';
  const evidence: Json[] = [];
  for (const chain of readCorpus()) {
    const probes = { http: replay(chain), work: openWork() } as unknown as Probes;
    const target = chain.hops[0]?.url ?? '';
    const gathered = await gatherHeaders({ target, options: {}, probes, progress: () => undefined });
    evidence.push({ ...gathered, seenAtMs: Date.UTC(2024, 9, 31) } as unknown as Json);
  }
  return { name: `${check}, ${evidence.length} real sites`, check, evidence };
}

/** The longest that a target can send. */
function hostile(): Kind[] {
  return hostileEvidence.map(({ name, check, most, make }) => ({ name, check, evidence: [make(most)] }));
}

function fixture(check: string, file: string): { [key: string]: Json } {
  return JSON.parse(readFileSync(`test/fixtures/${check}/${file}`, 'utf8')) as { [key: string]: Json };
}

function rowOf({ name, check, evidence }: Kind, found: Check): (string | number)[] {
  const files = evidence.map((each) => fileOfEvidence(check, targetsOfEvidence[check] ?? '', each));
  const reports: Report[] = files.map((file) => judge(found, file));
  const judged = longest(files, (file) => judge(found, file));
  const rendered = formatNames.map((format) => longest(reports, (report) => renderReport(report, format)));
  const characters = Math.max(...evidence.map((each) => JSON.stringify(each).length));
  const cells = [name, characters, ...[judged, ...rendered].map((ms) => ms.toFixed(1))];
  console.log(cells.join(' | '));
  return cells;
}

/** The milliseconds of CPU that the longest of these takes. */
function longest<T>(all: readonly T[], run: (one: T) => unknown): number {
  return Math.max(
    ...all.map((one) => {
      run(one);
      const before = process.threadCpuUsage();
      for (let count = 0; count < repeats; count += 1) run(one);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000 / repeats;
    }),
  );
}
