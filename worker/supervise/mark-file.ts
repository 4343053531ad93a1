import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomId } from '#shared/model/job';

/** What the runner process writes where its death and its freeze cannot take it away. */
export type Marks = {
  /** Whose data was read last; 0 before the first. */
  readonly run: number;
  /** Grows with each beat of the event loop. */
  readonly beat: number;
  /** CPU that the main thread had used at that beat, µs. */
  readonly cpuUs: number;
};

const fields = 3;
const fieldBytes = 8;

/** The worker's side: a file without a name, whose descriptor is given to the runner process. */
export type MarkFile = {
  readonly fd: number;
  readonly read: () => Marks;
  readonly close: () => void;
};

/** Makes the file, in memory where the machine has a place for that. Nothing is left of it when both processes have ended. */
export function makeMarkFile(): MarkFile {
  const fd = openNameless();
  const numbers = new Float64Array(fields);
  writeSync(fd, numbers, 0, fields * fieldBytes, 0);
  return {
    fd,
    read() {
      readSync(fd, numbers, 0, fields * fieldBytes, 0);
      const [run = 0, beat = 0, cpuUs = 0] = numbers;
      return { run, beat, cpuUs };
    },
    close: () => closeSync(fd),
  };
}

function openNameless(): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
  let last: unknown;
  for (const folder of ['/dev/shm', tmpdir()]) {
    const path = join(folder, `diag-marks-${randomId()}`);
    try {
      const fd = openSync(path, flags, 0o600);
      unlinkSync(path);
      return fd;
    } catch (error) {
      last = error; // the next folder may take it
    }
  }
  throw new Error('no folder takes the marks of runs', { cause: last });
}

/** The runner process's side. */
export type MarkWriter = {
  readonly writeRun: (run: number) => void;
  readonly writeBeat: (cpuUs: number) => void;
};

/** Opens the side that writes. Each write is one system call, about 2 µs. */
export function openMarkWriter(fd: number): MarkWriter {
  const run = new Float64Array(1);
  const beats = new Float64Array(fields - 1);
  return {
    writeRun(number) {
      run[0] = number;
      writeSync(fd, run, 0, fieldBytes, 0);
    },
    writeBeat(cpuUs) {
      beats[0] = (beats[0] ?? 0) + 1;
      beats[1] = cpuUs;
      writeSync(fd, beats, 0, 2 * fieldBytes, fieldBytes);
    },
  };
}
