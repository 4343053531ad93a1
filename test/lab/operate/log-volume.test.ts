import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const checks = 100;
const domains = 3;
let lab: Lab;
let service: ServiceProcess;
beforeAll(async () => {
  const names = ['good.test', ...Array.from({ length: domains }, (_, index) => `d${index}.test`)];
  lab = await openLab({
    sites: Object.fromEntries(
      names.map((name) => [`http://${name}`, (_request, response) => void response.end('good')]),
    ),
  });
  service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: lab.settings({ LOG_LEVEL: 'info', RATE_LIMIT: 'off' }),
  });
});
afterAll(async () => {
  service.kill('SIGKILL');
  await lab.close();
});

/** Lines and bytes that a thousand GETs leave, by what was logged for these. */
async function volumeOf(paths: readonly string[]): Promise<{ readonly lines: number; readonly kB: number }> {
  const before = service.lines.length;
  const answers = await Promise.all(paths.map((path) => fetch(`${service.url}/api/tools/${path}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const written = () => service.lines.slice(before);
  await expect
    .poll(() => written().filter((line) => line.includes('"msg":"request"')).length)
    .toBe(paths.length);
  const bytes = written().reduce((sum, line) => sum + line.length + 1, 0);
  const each = 1000 / paths.length;
  return { lines: Math.round(written().length * each), kB: Math.round((bytes * each) / 1000) };
}

/** What the operators' guide says of a row of its table: lines and kB for 1,000. */
function told(row: string): { readonly lines: number; readonly kB: number } {
  const guide = readFileSync('docs/monitoring.md', 'utf8');
  const [, lines = '', kB = ''] =
    new RegExp(`^\\| ${row} \\| ([\\d,]+) \\| ([\\d,]+) kB \\|`, 'm').exec(guide) ?? [];
  return { lines: Number(lines.replace(',', '')), kB: Number(kB.replace(',', '')) };
}

const url = (path: string) => `redirect-check?url=${encodeURIComponent(`http://good.test/${path}`)}`;

test.for([
  ['checks', Array.from({ length: checks }, (_, index) => url(String(index)))],
  ['repeats', Array.from({ length: checks }, () => url('0'))],
  ['domain-health', Array.from({ length: domains }, (_, index) => `domain-health/d${index}.test`)],
] as const)('1,000 %s write the lines and bytes that the operators’ guide tells', async ([row, paths]) => {
  const volume = await volumeOf(paths);
  console.log(`1,000 ${row}: ${volume.lines} lines, ${volume.kB} kB`);
  const { lines, kB } = told(row);
  expect(volume.lines).toBe(lines);
  expect(Math.abs(volume.kB - kB) / kB).toBeLessThan(0.1);
});
