import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// A browser loads pages against a clock: two files at once would measure each other. So would two that measure what reading costs.
// The others judge no times, or bound them for a busy machine.
const isSerial = (name: string) => name === 'browser' || name === 'growth';

/** These take minutes, and judge times that only a quiet machine keeps: `LONG=1` runs them beside the others (npm run test:long). */
const longFiles = [
  'batches',
  'mixed-versions',
  'poison-crowd',
  'restarts',
  'store-ways',
  'wrong-backends',
].map((name) => `test/faults/${name}.test.ts`);

const project = (name: string, testTimeout: number) => ({
  test: {
    fileParallelism: !isSerial(name),
    // These keep nothing in their modules: sharing them saves a third of the time.
    isolate: !['unit', 'contract', 'servers', 'api', 'lab'].includes(name),
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: process.env['LONG'] === undefined ? longFiles : [],
    passWithNoTests: true,
    testTimeout,
    // As small a young generation as the service's: else what a test leaves is lost in what V8 has set aside.
    execArgv: name === 'lab' ? ['--max-semi-space-size=8'] : [],
    // What is waited for comes as soon as it can; a busy machine only makes it later.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  test: {
    // One more than there are cores: most files wait for servers, processes or clocks now and then.
    maxWorkers: availableParallelism() + 1,
    projects: [
      project('unit', 60_000),
      project('contract', 60_000),
      project('api', 60_000),
      project('servers', 60_000),
      project('lab', 60_000),
      project('faults', 150_000),
      project('browser', 120_000),
      project('slow', 150_000),
      project('growth', 150_000),
    ],
  },
});
