import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { diffReports } from '#shared/catalogue/diff';
import type { ReportDiff } from '#shared/model/diff';
import { type Report, reportSchema } from '#shared/model/report';
import { changeWords } from '#shared/render/changes';
import { targetOf } from '#shared/render/report-words';
import { jsonText } from '#shared/render/visible-text';
import { openOutput, show } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { UsageError } from './outcome.ts';
import { type DiffForm, tellChanges } from './stored.ts';

const { print, pass } = openOutput(() => process.exit(exitStatus.ok));

/** True where both are files of reports, by their ending or because they are there; false for two ids of reports. */
export async function areFiles(names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(names.map(isFile));
  if (found.every(Boolean)) return true;
  if (!found.some(Boolean)) return false;
  throw new UsageError('Give two files of reports, one on each line, or two ids of reports.');
}

async function isFile(name: string): Promise<boolean> {
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return true;
  return (await stat(name).catch(() => undefined))?.isFile() === true;
}

/** Where a report stands in the first file, and what it was asked. */
type Place = { readonly start: number; readonly bytes: number; readonly options: string };
type Tally = { targets: number; changed: number; added: number; fixed: number; alone: number };

/**
 * Prints what changed from one run of a list to the next, target by target in the order of the second file. Nothing is asked of a server, and of the
 * first file only the places of its reports are kept. Gives 1 where a target has findings that it had not.
 */
export async function printDiffOfFiles(from: string, to: string, output: DiffForm): Promise<number> {
  const places = new Map<string, Place>();
  let check: string | undefined;
  for await (const { report, start, bytes, where } of reportsIn(from)) {
    check = requireCheck(report, check, where);
    places.set(targetOf(report), { start, bytes, options: optionsOf(report) });
  }
  const tally: Tally = { targets: 0, changed: 0, added: 0, fixed: 0, alone: 0 };
  const first = await openFile(from);
  try {
    for await (const { report, where } of reportsIn(to)) {
      check = requireCheck(report, check, where);
      const place = places.get(targetOf(report));
      if (!place) tally.alone += 1;
      else if (place.options !== optionsOf(report))
        throw new UsageError(`${where}: ${targetOf(report)} was checked with other options than in ${from}.`);
      else await tell(diffReports(await readAt(first, place), report), output, tally);
      places.delete(targetOf(report));
    }
  } finally {
    await first.close();
  }
  if (output === 'table') await print(summaryOf(tally, places.size));
  if (output === 'json') await pass(tally.targets === 0 ? '[]\n' : '\n]\n');
  return tally.added > 0 ? exitStatus.missed : exitStatus.ok;
}

async function tell(diff: ReportDiff, output: DiffForm, tally: Tally): Promise<void> {
  const { added, fixed } = diff.findings;
  const told = tellChanges(diff);
  tally.targets += 1;
  tally.added += added.length;
  tally.fixed += fixed.length;
  if (output === 'ndjson') return pass(`${jsonText(diff)}\n`);
  if (output === 'json') return pass(`${tally.targets === 1 ? '[' : ','}\n${jsonText(diff, 2)}`);
  if (told.text === '' && diff.notes.length === 0) return;
  tally.changed += 1;
  await print(show`${String(diff.target['domain'] ?? diff.target['url'])}  ${changeWords(diff)}\n${told}`);
}

function summaryOf({ targets, changed, added, fixed, alone }: Tally, gone: number) {
  return show`${targets} targets in both files, ${changed} with a change: ${added} new findings, ${fixed} fixed. ${alone} only in the second file, ${gone} only in the first.\n`;
}

function requireCheck({ check }: Report, known: string | undefined, where: string): string {
  if (known === undefined || known === check) return check;
  throw new UsageError(`${where}: it is a report of ${check}, and those before are of ${known}.`);
}

/** What a report tells of the options that it was made with, as one text. */
function optionsOf(report: Report): string {
  const { port, strategy, userAgent, selectors, categories } = report as {
    readonly [field: string]: unknown;
  };
  const named = typeof categories === 'object' && categories !== null ? Object.entries(categories) : [];
  const isAsked = (state: unknown) => (state as { readonly state?: unknown } | null)?.state !== 'left-out';
  const asked = named.flatMap(([name, state]) => (isAsked(state) ? [name] : []));
  return JSON.stringify([port, strategy, userAgent, selectors, asked.toSorted()]);
}

type Line = {
  readonly report: Report;
  readonly start: number;
  readonly bytes: number;
  readonly where: string;
};

/** Some times what a report may be long. */
const longestLineBytes = 4_194_304;
const lineFeed = 10;

/** The reports of a file, one a line, alone or as `report` of a batch's result; lines without a report are left out. */
async function* reportsIn(file: string): AsyncGenerator<Line, void, void> {
  let [rest, start, number] = [Buffer.alloc(0), 0, 0];
  const take = (line: Buffer): Line[] => {
    number += 1;
    const where = `${file}, line ${number}`;
    const at = start;
    start += line.length + 1;
    const report = reportOf(line, where);
    return report ? [{ report, start: at, bytes: line.length, where }] : [];
  };
  for await (const chunk of bytesOf(file)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(lineFeed); end >= 0; end = rest.indexOf(lineFeed)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      yield* take(line);
    }
    if (rest.length > longestLineBytes)
      throw new UsageError(`${file}, line ${number + 1}: it is too long for a report.`);
  }
  if (rest.length > 0) yield* take(rest);
}

async function* bytesOf(file: string): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

function reportOf(line: Buffer, where: string): Report | undefined {
  const text = line.toString().trim();
  if (text === '') return undefined;
  const body = parse(text, where) as { readonly report?: unknown; readonly problem?: unknown } | null;
  const report = body?.report === undefined ? body : body.report;
  if (report === null || (body?.problem !== undefined && body.report === undefined)) return undefined;
  if (reportSchema.safeParse(report).success) return report as Report;
  throw new UsageError(`${where}: it is no report. Make such files with -o ndjson.`);
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${where}: it is no JSON. Make such files with -o ndjson.`);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  });
}

async function readAt(file: FileHandle, { start, bytes }: Place): Promise<Report> {
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, start);
  const body = JSON.parse(buffer.toString()) as Report & { readonly report?: Report };
  return body.report ?? body;
}
