import type { XmlElement } from './parse-xml.ts';

/** Width and height of a drawing; without a unit where they are those of its viewBox. */
export type SvgSize = { readonly width: number; readonly height: number };

/** The size of a drawing by its viewBox, else by width and height; null where neither can be read. */
export function sizeOfSvg({ attributes }: XmlElement): SvgSize | null {
  const box = (attributes.get('viewBox') ?? '').trim().split(/[\s,]+/);
  const [, , width, height] = box.map(readNumber);
  if (box.length === 4 && width && height) return { width, height };
  const [across, down] = ['width', 'height'].map((name) => readLength(attributes.get(name) ?? ''));
  return across && down ? { width: across, height: down } : null;
}

/** The attributes of a drawing that give its size in percent: programs then do not know how large it is. */
export function relativeLengths({ attributes }: XmlElement): string[] {
  return ['width', 'height'].filter((name) => attributes.get(name)?.trim().endsWith('%'));
}

function readLength(text: string): number | null {
  const plain = text.trim();
  return readNumber(plain.endsWith('px') ? plain.slice(0, -2) : plain);
}

function readNumber(text: string): number | null {
  const number = /^[-+0-9.eE]{1,40}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
