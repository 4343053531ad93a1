import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Names that gave way to the field's own words, and where they may not come back. */
const dropped: readonly { readonly name: string; readonly now: string; readonly where: string }[] = [
  { name: 'Shed', now: 'LoadShedding', where: 'api' },
  { name: 'Sights?', now: 'Observation', where: 'worker' },
  { name: 'Soil', now: 'TreeContext', where: 'worker' },
  { name: 'Books', now: 'MemoryState', where: 'shared/queue' },
  { name: 'Books', now: 'JobRecords', where: 'api' },
  { name: 'Look', now: 'EndpointContext or SpfLookup', where: 'worker/checks' },
  { name: 'Crew', now: 'QueueWorker', where: 'shared/queue' },
  { name: 'Losses', now: 'LostRuns', where: 'shared/queue' },
  { name: 'Side', now: 'ShardQueues', where: 'shared/queue' },
  { name: 'Stay', now: 'IsolatedRun', where: 'shared/queue' },
  { name: 'Wakes', now: 'JobAlarms', where: 'shared/queue' },
  { name: 'Ward', now: 'RunIsolation', where: 'shared/queue' },
];

test.for(dropped)('nothing in $where is called $name, but $now', ({ name, where }) => {
  const files = globSync(`${where}/**/*.ts`, { cwd: root });
  expect(files.length).toBeGreaterThan(10);
  const declares = new RegExp(`\\b(?:type|function|const) \\w*${name}\\b`);
  expect(files.filter((file) => declares.test(readFileSync(`${root}/${file}`, 'utf8')))).toEqual([]);
});
