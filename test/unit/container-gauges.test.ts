import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readContainerMemory } from '#shared/telemetry/container-gauges';

function groupOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'diag-group-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const none = { usedBytes: 0, limitBytes: 0 };

test.for([
  {
    name: 'files that could be dropped are not counted',
    files: {
      'memory.max': '3000\n',
      'memory.current': '2500\n',
      'memory.stat': 'anon 1000\ninactive_file 400\nactive_file 5\n',
    },
    expected: { usedBytes: 2100, limitBytes: 3000 },
  },
  {
    name: 'a container without a limit has none that is near',
    files: { 'memory.max': 'max\n', 'memory.current': '2500\n', 'memory.stat': 'inactive_file 400\n' },
    expected: none,
  },
  { name: 'where there is no such group, nothing is told', files: {}, expected: none },
])('$name', ({ files, expected }) => {
  expect(readContainerMemory(groupOf(files))).toEqual(expected);
});
