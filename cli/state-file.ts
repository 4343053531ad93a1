import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { isFinal, type TargetOutcome, UsageError } from './outcome.ts';

/** What a batch has done so far, on disk: a line of JSON for each target, written before it is printed. */
export type StateFile = {
  /** The outcomes of earlier runs, in the order of the file; those that were only a passing failure are left out. */
  earlier(): AsyncGenerator<TargetOutcome, void, void>;
  keep(outcome: TargetOutcome): void;
  close(): void;
};

/** Says what the lines after it are, so that a list of another check is not taken for this one. */
type Head = { readonly diag: 1; readonly check: string; readonly options: string };

/**
 * Opens the file for a check with these options, or begins it. A last line that a killed process wrote in part is cut off.
 * Throws UsageError for a file of something else.
 */
export function openStateFile(path: string, check: string, options: string): StateFile {
  const head: Head = { diag: 1, check, options };
  const isNew = !existsSync(path) || statSync(path).size === 0;
  let file: number;
  try {
    file = openSync(path, isNew ? 'a+' : 'r+', 0o600);
  } catch (error) {
    throw new UsageError(`--resume: ${(error as Error).message}`);
  }
  let end = isNew ? 0 : cutTornLine(file);
  const append = (value: object) => {
    end += writeSync(file, `${JSON.stringify(value)}\n`, end);
  };
  if (end === 0) append(head);
  return {
    async *earlier() {
      let isFirst = true;
      for await (const line of createInterface({ input: createReadStream(path) })) {
        if (isFirst) judgeHead(path, line, head);
        else {
          const outcome = JSON.parse(line) as TargetOutcome;
          if (isFinal(outcome)) yield outcome;
        }
        isFirst = false;
      }
    },
    keep: append,
    close: () => closeSync(file),
  };
}

/** Cuts what follows the last line end; gives the size that is left. */
function cutTornLine(file: number): number {
  const piece = Buffer.alloc(65_536);
  let end = 0;
  for (let at = 0; ; at += piece.length) {
    const length = readSync(file, piece, 0, piece.length, at);
    const last = piece.subarray(0, length).lastIndexOf(0x0a);
    if (last !== -1) end = at + last + 1;
    if (length < piece.length) break;
  }
  ftruncateSync(file, end);
  return end;
}

function judgeHead(path: string, line: string, head: Head): void {
  if (line === JSON.stringify(head)) return;
  throw new UsageError(
    `--resume: ${path} is not the state of a run of ${head.check} with these options. Name another file.`,
  );
}
