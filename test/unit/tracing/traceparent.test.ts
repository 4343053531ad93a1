import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTraceparent, printTraceparent, traceFields } from '#shared/telemetry/tracing/traceparent';

// The examples of W3C Trace Context §3.2.2.5 and §3.2.3.
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const cases: readonly (readonly [name: string, text: string, isSampled: boolean | undefined])[] = [
  ['a sampled request', `00-${traceId}-${spanId}-01`, true],
  ['one that is not sampled', `00-${traceId}-${spanId}-00`, false],
  ['flags beside the sampled one', `00-${traceId}-${spanId}-03`, true],
  ['a later version, with more behind it', `cc-${traceId}-${spanId}-01-what-the-future-will-be-like`, true],
  ['a later version, as long as this one', `cc-${traceId}-${spanId}-01`, true],
  ['a later version with more behind no dash', `cc-${traceId}-${spanId}-01.what`, undefined],
  ['version 00 with more behind it', `00-${traceId}-${spanId}-01-more`, undefined],
  ['version ff', `ff-${traceId}-${spanId}-01`, undefined],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`, undefined],
  ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  ['a trace id that is too short', `00-${traceId.slice(1)}-${spanId}-01`, undefined],
  [
    'two of them, as a repeated field is read',
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    undefined,
  ],
  ['spaces around it', ` 00-${traceId}-${spanId}-01`, undefined],
  ['nothing', '', undefined],
];
test.for(cases)('a traceparent: %s', ([, text, isSampled]) => {
  expect(parseTraceparent(text)).toEqual(
    isSampled === undefined ? undefined : { traceId, spanId, isSampled },
  );
});

test.for([undefined, null, 1, {}, ['00']])('%j is none', (value) => {
  expect(parseTraceparent(value)).toBeUndefined();
});

test('any text is read or refused, and what is printed is read', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseTraceparent(text)));
  const digits = (count: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${count}}$`)).filter((text) => !/^0+$/.test(text));
  fc.assert(
    fc.property(fc.record({ traceId: digits(32), spanId: digits(16), isSampled: fc.boolean() }), (place) => {
      expect(parseTraceparent(printTraceparent(place))).toEqual(place);
    }),
  );
});

test('a log line has both ids, or neither', () => {
  expect(traceFields(`00-${traceId}-${spanId}-01`)).toEqual({ trace_id: traceId, span_id: spanId });
  expect(traceFields(undefined)).toEqual({});
});
