import { clip } from '../../../../mail/fault.ts';
import type { Xml, XmlElement } from './parse-xml.ts';
import { allowedElements, fixedAttributes, whyForbidden } from './tiny-ps.ts';

/** What in a logo breaks the profile, as a sentence; `at` is the offset of the element. */
export type SvgFault = { readonly problem: string; readonly at: number };

const svgNamespace = 'http://www.w3.org/2000/svg';

/** True for a document whose root is svg, in the namespace of SVG or in none. */
export function isSvg({ root }: Xml): boolean {
  return localName(root.name) === 'svg' && [svgNamespace, null].includes(namespaceOf(root));
}

/** Judges a logo by SVG Tiny PS (draft-svg-tiny-ps-abrotman §2), as far as it can be told without drawing it. */
export function judgeSvg(xml: Xml): SvgFault[] {
  const { root, elements, instructions } = xml;
  return [
    ...judgeRoot(root).map((problem) => ({ problem, at: root.at })),
    ...judgeTitle(xml),
    ...instructions
      .filter(({ target }) => target.toLowerCase() === 'xml-stylesheet')
      .map(({ at }) => ({ problem: 'it has a style sheet', at })),
    ...elements.flatMap((element) => judgeElement(element).map((problem) => ({ problem, at: element.at }))),
  ];
}

/** The logo's title; null where there is none. */
export function titleOf(xml: Xml): string | null {
  const text = findTitles(xml)[0]?.text.trim() ?? '';
  return text === '' ? null : text;
}

function judgeRoot(root: XmlElement): string[] {
  const wanted: readonly (readonly [name: string, value: string])[] = [
    ['xmlns', svgNamespace],
    ['version', '1.2'],
    ['baseProfile', 'tiny-ps'],
  ];
  const isPrefixed = root.name.includes(':');
  const missing = wanted
    .filter(([name]) => !(isPrefixed && name === 'xmlns'))
    .filter(([name, value]) => root.attributes.get(name) !== value)
    .map(([name, value]) => `the root lacks ${name}="${value}" (${describe(root.attributes.get(name))})`);
  const moved = ['x', 'y'].filter((name) => root.attributes.has(name));
  return [...missing, ...moved.map((name) => `the root has the attribute ${name}`)];
}

function describe(value: string | undefined): string {
  return value === undefined ? 'it has none' : `it is “${clip(value, 40)}”`;
}

function findTitles({ root, elements }: Xml): XmlElement[] {
  return elements.filter(
    (element) => element.parent === root && localName(element.name) === 'title' && isDrawn(element),
  );
}

function judgeTitle(xml: Xml): SvgFault[] {
  const titles = findTitles(xml);
  const [first, second] = titles;
  if (!first) return [{ problem: 'it has no title as a child of the root', at: xml.root.at }];
  if (second) return [{ problem: 'it has more than one title', at: second.at }];
  return first.text.trim() === '' ? [{ problem: 'its title is empty', at: first.at }] : [];
}

function judgeElement(element: XmlElement): string[] {
  const attributes = [...element.attributes].flatMap(([name, value]) => judgeAttribute(name, value));
  if (!isDrawn(element)) return attributes;
  const name = localName(element.name);
  if (allowedElements.has(name)) return attributes;
  return [`it has the element <${clip(name, 40)}>, ${whyForbidden(name)}`, ...attributes];
}

// What editors keep for themselves, in a namespace of their own, is not drawn.
function isDrawn(element: XmlElement): boolean {
  const namespace = namespaceOf(element);
  return namespace === svgNamespace || namespace === null;
}

function judgeAttribute(name: string, value: string): string[] {
  const plain = localName(name);
  const fixed = fixedAttributes.get(name);
  if (fixed !== undefined && value !== fixed)
    return [`${name} is “${clip(value, 40)}”, and may only be “${fixed}”`];
  if (plain === 'href' && !value.trim().startsWith('#'))
    return [`it refers to “${clip(value.trim(), 60)}”, which is outside of the file`];
  if (name === 'style') return ['it has the attribute style, which SVG Tiny does not know'];
  if (/^on[a-z]/.test(name)) return [`it has the attribute ${clip(name, 40)}, which runs a script`];
  const outside = findOutside(value);
  return outside === null ? [] : [`it refers to “${clip(outside, 60)}”, which is outside of the file`];
}

// url(#a) names a part of the file itself, as a fill does; whatever else stands there is fetched.
function findOutside(value: string): string | null {
  const pieces = value.toLowerCase().split('url(').slice(1);
  const target = (piece: string) => (piece.split(')')[0] ?? '').replaceAll(/["']/g, '').trim();
  return pieces.map(target).find((text) => !text.startsWith('#')) ?? null;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

// Namespaces in XML §6: the nearest declaration above counts; null where there is none.
function namespaceOf(element: XmlElement): string | null {
  const colon = element.name.indexOf(':');
  const key = colon < 0 ? 'xmlns' : `xmlns:${element.name.slice(0, colon)}`;
  for (let at: XmlElement | null = element; at !== null; at = at.parent) {
    const declared = at.attributes.get(key);
    if (declared !== undefined) return declared;
  }
  return null;
}
