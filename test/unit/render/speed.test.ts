import { expect, test } from 'vitest';
import { formatNames, renderReport } from '#shared/render/formats';
import { jsonText, visible } from '#shared/render/visible-text';
import { largeReport } from './reports.ts';

const report = largeReport(300_000);
const sizeKb = Math.round(JSON.stringify(report).length / 1000);
const rounds = 15;
/** Far above what is measured (1 to 12 ms), for a busy machine; a renderer that is not linear passes it by far. */
const boundMs = 150;

test.for(formatNames)('%s: a report of 300 kB takes milliseconds', (format) => {
  // Of computing, and the least of some rounds: the machine may be busy with something else.
  const costs = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    renderReport(report, format);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  const least = Math.min(...costs);
  const outKb = Math.round(renderReport(report, format).text.length / 1000);
  console.log(`${format}: ${sizeKb} kB in, ${outKb} kB out, ${least.toFixed(1)} ms`);
  expect(least).toBeLessThan(boundMs);
});

/** Milliseconds of computing that a text takes to be written, the least of some rounds. */
function costOf(text: string): number {
  const value = { hops: Array.from({ length: 10 }, () => text) };
  return leastOf(() => {
    jsonText(value);
    visible(text.repeat(10));
  });
}

function leastOf(work: () => void): number {
  const costs = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage().user;
    work();
    return (process.cpuUsage().user - start) / 1000;
  });
  return Math.min(...costs);
}

test('a report full of characters that have to be written as escapes is written faster than one by one', () => {
  const text = '\u202e'.repeat(30_000);
  const ms = costOf(text);
  const oneByOne = leastOf(() => {
    for (let times = 0; times < 20; times += 1)
      text.replaceAll(/\p{C}/gu, (each) =>
        JSON.stringify(`\\u{${each.codePointAt(0)?.toString(16)}}`).slice(1, -1),
      );
  });
  console.log(
    `600,000 unseen characters: ${ms.toFixed(1)} ms of computing, one by one ${oneByOne.toFixed(1)} ms`,
  );
  expect(ms / oneByOne).toBeLessThan(1);
});
