import { inflateSync } from 'node:zlib';

/**
 * The text of a PDF that Chromium made, a line for each run of glyphs. Reads what its writer (Skia) writes: plain objects, deflated
 * streams, and for each font a map from glyphs to Unicode.
 */
export function pdfText(pdf: Uint8Array): string {
  const objects = readObjects(Buffer.from(pdf));
  const fonts = new Map<string, ReadonlyMap<number, string>>();
  for (const { text } of objects.values())
    for (const [, name = '', id = ''] of text.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, map = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(Number(id))?.text ?? '') ?? [];
      fonts.set(name, readGlyphs(objects.get(Number(map))?.stream ?? ''));
    }
  return [...objects.values()].map(({ stream }) => readRuns(stream, fonts)).join('\n');
}

type Objects = ReadonlyMap<number, { readonly text: string; readonly stream: string }>;

function readObjects(pdf: Buffer): Objects {
  const whole = pdf.toString('latin1');
  const found = [...whole.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)].map(({ 0: head, 1: id, index }) => {
    const start = index + head.length;
    const text = whole.slice(start, whole.indexOf('endobj', start));
    const at = /stream\r?\n/.exec(text);
    const length = /\/Length (\d+)/.exec(text)?.[1];
    if (!at || length === undefined) return [Number(id), { text, stream: '' }] as const;
    const from = start + at.index + at[0].length;
    const bytes = pdf.subarray(from, from + Number(length));
    const isPacked = text.slice(0, at.index).includes('/FlateDecode');
    return [
      Number(id),
      { text: text.slice(0, at.index), stream: isPacked ? inflateSync(bytes).toString('latin1') : '' },
    ] as const;
  });
  return new Map(found);
}

function readGlyphs(map: string): ReadonlyMap<number, string> {
  const glyphs = new Map<number, string>();
  const textOf = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, block = ''] of map.matchAll(/beginbfchar\n(.*?)endbfchar/gs))
    for (const [, glyph = '', text = ''] of block.matchAll(/<(\w+)> <(\w+)>/g))
      glyphs.set(Number.parseInt(glyph, 16), textOf(text));
  for (const [, block = ''] of map.matchAll(/beginbfrange\n(.*?)endbfrange/gs))
    for (const [, from = '', to = '', first = ''] of block.matchAll(/<(\w+)> <(\w+)> <(\w+)>/g))
      for (let at = Number.parseInt(from, 16); at <= Number.parseInt(to, 16); at += 1)
        glyphs.set(at, String.fromCodePoint(Number.parseInt(first, 16) + at - Number.parseInt(from, 16)));
  return glyphs;
}

function readRuns(stream: string, fonts: ReadonlyMap<string, ReadonlyMap<number, string>>): string {
  let font: ReadonlyMap<number, string> | undefined;
  const runs = [
    ...stream.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)> Tj|\[((?:<[0-9A-Fa-f]+>|[^\]])*)\] TJ/g),
  ];
  return runs
    .map(([, name, one, many]) => {
      if (name !== undefined) font = fonts.get(name);
      const hex = one ?? [...(many ?? '').matchAll(/<([0-9A-Fa-f]+)>/g)].map(([, piece]) => piece).join('');
      return (hex.match(/.{4}/g) ?? []).map((glyph) => font?.get(Number.parseInt(glyph, 16)) ?? '').join('');
    })
    .join('');
}
