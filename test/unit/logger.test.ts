import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const logger = new URL('../../shared/telemetry/logger.ts', import.meta.url).href;

/** Runs a program that has a log, and gives what it wrote. */
function run(program: string): readonly string[] {
  const script = `import { openLogger } from '${logger}'; const log = openLogger('info'); ${program}`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return stdout.split('\n').slice(0, -1);
}

const manyLines = `for (let index = 0; index < 2000; index += 1) log.info({ index }, 'line');`;

test.for([
  ['runs out of work', ''],
  ['calls process.exit', 'process.exit(0);'],
  ['dies of an error that nobody caught', `throw new Error('defect');`],
  [
    'stops on SIGTERM',
    `process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`,
  ],
] as const)('no line is lost when the process %s', ([, end]) => {
  const told = run(`${manyLines} ${end}`).map((line) => (JSON.parse(line) as { index: number }).index);
  // What is being written when the process ends may come behind what was waiting.
  expect(told.sort((a, b) => a - b)).toEqual(Array.from({ length: 2000 }, (_, index) => index));
});

test.for([
  ['no fields', '{}', {}],
  ['fields that are absent', '{ a: undefined, b: 1, c: false }', { b: 1, c: false }],
  ['texts that need escapes', String.raw`{ text: 'a "b" \\ \n é \u2028' }`, { text: 'a "b" \\ \n é \u2028' }],
  ['lists and objects', '{ list: [1], object: { a: null } }', { list: [1], object: { a: null } }],
] as const)('a line with %s is one line of JSON', ([, fields, expected]) => {
  const [line = '', ...more] = run(`log.info(${fields}, 'it is "so"');`);
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  expect(more).toEqual([]);
  expect(rest).toEqual({ level: 30, ...expected, msg: 'it is "so"' });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('lines of all levels keep their order, and those below the level are left out', () => {
  const lines = run(
    `log.info({}, 'a'); log.warn({}, 'b'); log.debug({}, 'c'); log.error({ err: new Error('d') }, 'd'); log.info({}, 'e');`,
  );
  const told = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(told.map(({ level, msg }) => [level, msg])).toEqual([
    [30, 'a'],
    [40, 'b'],
    [50, 'd'],
    [30, 'e'],
  ]);
});

test('lines that wait for a reader who stands still have a bound', async () => {
  const script = `import { openLogger } from '${logger}'; const log = openLogger('info'); const text = 'x'.repeat(1000);
    for (let index = 0; index < 100_000; index += 1) {
      log.info({ text }, 'line');
      if (index % 100 === 0) await new Promise(setImmediate);
    }
    process.stderr.write(String(process.memoryUsage().rss)); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [rss] = (await once(child.stderr, 'data')) as [Buffer];
  child.kill('SIGKILL');
  // 100 MB of lines, of which 16 may wait; the process itself takes about 60.
  expect(Number(rss)).toBeLessThan(170e6);
  expect(Number(rss)).toBeGreaterThan(20e6);
});

test('on a terminal a line is words for a person, with the address of the pages; a target hides nothing in it', () => {
  const script = `Object.defineProperty(process.stdout, 'isTTY', { value: true });
    const { openLogger } = await import('${logger}'); const log = openLogger('info');
    log.info({ url: 'http://127.0.0.1:3000' }, 'ready');
    log.warn({ host: 'a\\u001b[2K\\u202e' }, 'job late');
    log.error({ err: new Error('defect') }, 'request failed');`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout).toMatch(
    /^\d\d:\d\d:\d\d ready url=http:\/\/127\.0\.0\.1:3000\n\n {2}Open http:\/\/127\.0\.0\.1:3000\/ in a browser\./,
  );
  expect(stdout).toMatch(/WARN job late host="?a␛\[2K⟨U\+202E⟩"?\n/);
  expect(stdout).toMatch(/ERROR request failed\n {4}Error: defect\n {4} {4}at /);
});
