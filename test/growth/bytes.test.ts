import { describe, expect, test } from 'vitest';
import { byteReaders, hostileBytes } from './byte-readers.ts';
import { containers } from './containers.ts';
import { growthOf, isWorseThanLinear, referenceMs } from './measure.ts';

describe('a reader of bytes', () => {
  const limitMs = referenceMs();

  test.for(byteReaders)('$name reads each byte once, up to the most that its $container holds', (reader) => {
    const { most } = containers[reader.container];
    const slow = Object.entries({ ...hostileBytes, ...reader.own }).flatMap(([name, make]) => {
      const growth = growthOf(make, reader.read, { most, limitMs });
      const isSlow = isWorseThanLinear(growth) || growth.ms > limitMs;
      return isSlow ? [`${name}: ${growth.ms.toFixed(0)} ms, ratio ${growth.ratio.toFixed(1)}`] : [];
    });
    expect(slow, `more than ${limitMs.toFixed(0)} ms, or worse than linear`).toEqual([]);
  });
});
