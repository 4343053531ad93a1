import { expect, test } from 'vitest';
import { readRegisteredDomain } from '../../../worker/probes/rdap/read-domain.ts';

test('a status that is nearly a word is refused at once', () => {
  const status = [`${'a'.repeat(59)}!`, `${'a'.repeat(100_000)}!`, 'client hold'];
  const text = JSON.stringify({ objectClassName: 'domain', ldhName: 'good.test', status });
  const { user } = process.threadCpuUsage();
  expect(readRegisteredDomain(text, 'good.test')).toMatchObject({ statuses: ['clientHold'] });
  expect((process.threadCpuUsage().user - user) / 1000).toBeLessThan(200);
});
