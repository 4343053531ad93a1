import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { type FormatName, formatNames, renderReport } from '#shared/render/formats';
import { linkTo } from '#shared/render/visible-text';
import { hostileStrings, shortHostileStrings } from '../../fixtures/render/hostile-strings.ts';
import { isSoak } from '../../kit/property-runs.ts';
import { type Piece, readCsv, readHtml, readMarkdown, readXml } from '../../unit/render/readers.ts';
import { reportOf } from '../../unit/render/reports.ts';

const placeCount = countPlaces();
/** A word in each place that no other part of a report holds. */
const plain = reportOf((place) => `place${place}x`);

function countPlaces(): number {
  let count = 0;
  reportOf((place) => {
    count = place + 1;
    return '';
  });
  return count;
}

const readers: { readonly [F in FormatName]: (text: string) => Piece[] } = {
  json: readJson,
  html: readHtml,
  md: (text) => joinWords(readMarkdown(text)),
  csv: (text) =>
    readCsv(text).flatMap((row, at) =>
      row.map((cell, column) => ({ shape: `${at ? 'row' : 'header'} ${column}`, text: cell })),
    ),
  sarif: readJson,
  junit: readXml,
};

/** The strings of a JSON text and where they stand; keys are strings too. */
function readJson(text: string): Piece[] {
  return walkJson(JSON.parse(text), '');
}

function walkJson(value: unknown, path: string): Piece[] {
  if (typeof value !== 'object' || value === null)
    return [{ shape: `${path} ${typeof value}`, text: typeof value === 'string' ? value : '' }];
  if (Array.isArray(value)) return value.flatMap((item) => walkJson(item, `${path}[]`));
  return Object.entries(value).flatMap(([key, item]) => [
    { shape: `${path} key`, text: key },
    ...(key === 'markdown' ? joinWords(readMarkdown(String(item))) : walkJson(item, `${path}.`)),
  ]);
}

/** A sentence may become any number of words and code spans; what counts is that no other line begins. */
function joinWords(pieces: Piece[]): Piece[] {
  return pieces.map(({ shape, text }) => ({ shape, text: shape.startsWith('line') ? '' : text }));
}

/** Where the documents differ in more than the text of places: an escape. */
function findEscape(format: FormatName, report: Report): string | undefined {
  const { text } = renderReport(report, format);
  const hidden =
    /[^\P{Cc}\n\r]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|\p{Cs}|\u{e0001}/u.exec(
      text,
    );
  // Tabs are kept in blocks to copy from.
  const isKept = hidden?.[0] === '\t' && (format === 'html' || format === 'md');
  if (hidden && !isKept) return `unseen U+${hidden[0].codePointAt(0)?.toString(16)} at ${hidden.index}`;
  if (format !== 'csv' && text.includes('\r')) return 'a carriage return';
  const got = readers[format](text);
  const escapes = expected[format].map((wanted) => compare(wanted, got));
  return escapes.includes(undefined) ? undefined : escapes[0];
}

const withoutEvidence = {
  ...plain,
  findings: plain.findings.map((finding) => ({ ...finding, evidence: [] })),
};
/** What a piece must be: its shape, and the template's own words around the places. */
type Wanted = Piece & { readonly literals: readonly string[] };

/** What each format makes of plain words; Markdown leaves evidence out where the text would be too long for an issue. */
const expected = Object.fromEntries(
  formatNames.map((format) => {
    const read = (report: Report): Wanted[] =>
      readers[format](renderReport(report, format).text).map((piece) => ({
        ...piece,
        literals: piece.text.split(/place\d+x/),
      }));
    return [format, format === 'md' ? [read(plain), read(withoutEvidence)] : [read(plain)]];
  }),
) as Record<FormatName, Wanted[][]>;

function compare(wanted: readonly Wanted[], got: readonly Piece[]): string | undefined {
  for (const [index, piece] of wanted.entries()) {
    const other = got[index];
    if (other?.shape !== piece.shape) return `piece ${index}: ${other?.shape} instead of ${piece.shape}`;
    if (!holdsLiterals(piece, other.text))
      return `piece ${index} ${piece.shape}: ${JSON.stringify(other.text.slice(0, 200))}`;
  }
  return got.length === wanted.length ? undefined : `${got.length} pieces instead of ${wanted.length}`;
}

const digest = /^[0-9a-f]{16,64}(?::1)?$/;

/** The template's own words around the places are all there, in order, at both ends. */
function holdsLiterals({ shape, text: wanted, literals }: Wanted, got: string): boolean {
  if (literals.length === 1 && wanted === got) return true;
  if (digest.test(wanted)) return digest.test(got);
  // Pieces of evidence that would make a cell too long are left out.
  if (shape === 'row 16') return Array.isArray(JSON.parse(got));
  if (literals.length === 1) return false;
  if (/… \(\d+ more\)/.test(got)) return got.startsWith(literals[0] ?? '');
  if (!got.startsWith(literals[0] ?? '')) return false;
  let at = 0;
  for (const literal of literals) {
    const found = got.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return got.endsWith(literals.at(-1) ?? '');
}

/** References that may be links: an address that is good for one would change the page as it should (see html.test.ts). */
const addressPlaces = new Set(
  plain.findings.flatMap(({ references }) => references.map(({ url }) => /place(\d+)x/.exec(url)?.[1])),
);
/** A key like an array's index would come before all others; JavaScript orders so, and no renderer can tell. */
const strings = hostileStrings.map((text) => (/^\d+$/.test(text) ? `${text} ` : text));

function textAt(index: number, place: number, end = ''): string {
  const text = (strings[index % strings.length] ?? '') + end;
  return addressPlaces.has(String(place)) && linkTo(text) !== undefined ? `x ${text}` : text;
}

test('there are 200 hostile strings and more, all different', () => {
  expect(new Set(hostileStrings).size).toBe(hostileStrings.length);
  expect(shortHostileStrings.length).toBeGreaterThanOrEqual(200);
});

test.for(formatNames)(
  `%s: each of ${strings.length} hostile strings in ${isSoak ? 'each' : 'a fifth'} of ${placeCount} places stays text`,
  { timeout: 120_000 },
  (format) => {
    const escapes: string[] = [];
    // Each round moves every string on by one place, so that all pairs are met after as many rounds as there are strings.
    for (let round = 0; round < strings.length; round += isSoak ? 1 : 5) {
      const escape = attempt(() =>
        findEscape(
          format,
          reportOf((place) => textAt(round + place, place)),
        ),
      );
      if (escape !== undefined) escapes.push(`round ${round}: ${escape}`);
    }
    expect(escapes.slice(0, 5)).toEqual([]);
  },
);

test.for(formatNames)(
  `%s: each of ${shortHostileStrings.length} hostile strings in all places at once stays text`,
  { timeout: 120_000 },
  (format) => {
    const escapes = strings.slice(0, shortHostileStrings.length).flatMap((text, index) => {
      const everywhere = (place: number) => textAt(index, place, String.fromCharCode(0x4e00 + place));
      const escape = attempt(() => findEscape(format, reportOf(everywhere)));
      return escape === undefined ? [] : [`${JSON.stringify(text.slice(0, 60))}: ${escape}`];
    });
    expect(escapes.slice(0, 5)).toEqual([]);
  },
);

function attempt(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    return String(error);
  }
}
