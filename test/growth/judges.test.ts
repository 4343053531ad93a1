import { describe, expect, test } from 'vitest';
import { renderReport } from '#shared/render/formats';
import { findCheck } from '../../worker/checks/registry.ts';
import { judge } from '../../worker/run/judge.ts';
import { fileOfEvidence, hostileEvidence, targetsOfEvidence } from '../kit/hostile-evidence.ts';
import { growthOf, isWorseThanLinear, referenceMs } from './measure.ts';

describe('a judge', () => {
  const limitMs = referenceMs();

  test.for(hostileEvidence)('of $name costs no more than its length', async ({ name, check, most, make }) => {
    const found = await findCheck(check);
    if (!found) throw new Error(`there is no ${check}`);
    const fileOf = (size: number) => fileOfEvidence(check, targetsOfEvidence[check] ?? '', make(size));
    // The code is compiled by then: the first judgement of a check costs more than its length.
    for (let times = 0; times < 20; times += 1) judge(found, fileOf(most / 16));
    const judging = growthOf(fileOf, (file) => judge(found, file), { most, limitMs });
    const reports = (size: number) => judge(found, fileOf(size));
    const rendering = growthOf(reports, (report) => renderReport(report, 'html'), { most, limitMs });
    if (process.env['GROWTH_TABLE'] !== undefined)
      console.log(
        name,
        judging.ms.toFixed(0),
        judging.ratio.toFixed(1),
        rendering.ms.toFixed(0),
        rendering.ratio.toFixed(1),
      );
    expect(judging.ms).toBeLessThan(limitMs);
    expect([isWorseThanLinear(judging), isWorseThanLinear(rendering)]).toEqual([false, false]);
  });
});
