import { describe, expect, test } from 'vitest';
import { containers } from './containers.ts';
import { growthOf, isWorseThanLinear, referenceMs } from './measure.ts';
import { type TextReader, textReaders } from './text-readers.ts';
import { hostilePieces, numbered, repeated } from './texts.ts';

type Shape = { readonly name: string; readonly make: (size: number) => string };

function shapesOf({ starts, pieces, container }: TextReader): Shape[] {
  // The longest texts take the most time, and pages.test.ts tries more of them.
  const usual = container === 'page' ? hostilePieces.filter((piece) => piece.length === 1) : hostilePieces;
  const all = [...usual, ...pieces];
  return starts.flatMap((start) => [
    ...all.map((piece) => ({
      name: JSON.stringify(`${start}${piece}…`),
      make: (size: number) => repeated(start, piece, size),
    })),
    ...[
      ['a', '=b;'],
      ['a', '=b,'],
      ['a', ': b\n'],
      ['<a b', '="">'],
      ['a', ' '],
    ].map(([before = '', behind = '']) => ({
      name: JSON.stringify(`${start}${before}1${behind}…`),
      make: (size: number) => numbered(start, before, behind, size),
    })),
  ]);
}

describe('a reader of text', () => {
  const limitMs = referenceMs();

  test.for(textReaders)(
    '$name reads each character once, up to the most that its $container holds',
    (reader) => {
      const { most } = containers[reader.container];
      const slow = shapesOf(reader).flatMap(({ name, make }) => {
        const growth = growthOf(make, reader.read, { most, limitMs });
        const isSlow = isWorseThanLinear(growth) || growth.ms > limitMs;
        if (process.env['GROWTH_TABLE'] !== undefined && growth.ms > 20)
          console.log(reader.name, name, growth.ms.toFixed(0), growth.ratio.toFixed(1));
        return isSlow ? [`${name}: ${growth.ms.toFixed(0)} ms, ratio ${growth.ratio.toFixed(1)}`] : [];
      });
      expect(slow, `more than ${limitMs.toFixed(0)} ms, or worse than linear`).toEqual([]);
    },
  );
});
