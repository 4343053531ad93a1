import type { BimiCode } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { brokenBy, brokenIf, eachOf, type Evidence, notTested, type Verdicts } from '#shared/model/verdict';
import { oncePerObservation } from '../../../../dns/observation.ts';
import { clip } from '../../../../mail/fault.ts';
import type { WebFile } from '../evidence.ts';
import { type FileObservation, readAbsent, readFile } from './files.ts';
import { parseXml, type Xml, type XmlElement } from './xml.ts';

type Loaded = Extract<FileObservation, { kind: 'file' }>;

/** What a file holds: `other` is no SVG, and why, as a sentence's end. */
type Content =
  | { readonly kind: 'other'; readonly problem: string }
  | { readonly kind: 'svg'; readonly xml: Xml };

/** The logo as judgement sees it. */
export type LogoObservation = Exclude<FileObservation, Loaded> | (Omit<Loaded, 'kind'> & Content);

/**
 * Reads the file that the tag l names.
 * @param file undefined where it was not fetched, null where the record names none
 */
export function readLogo(file: WebFile | null | undefined): LogoObservation {
  return file ? decodeLogo(file) : readAbsent(file);
}

// Judged and shown: read once for both.
const decodeLogo = oncePerObservation((file: WebFile): LogoObservation => {
  const observation = readFile(file);
  return observation.kind === 'file' ? { ...observation, ...readContent(observation) } : observation;
});

function readContent({ text, form }: Loaded): Content {
  if (form === 'binary') return { kind: 'other', problem: 'it is not text' };
  if (form === 'gzip-broken') return { kind: 'other', problem: 'its gzip compression is broken' };
  const xml = parseXml(text);
  if ('faults' in xml) {
    const [{ at, problem }] = xml.faults;
    return { kind: 'other', problem: `line ${lineOf(text, at)} is not XML: ${problem}` };
  }
  return isSvg(xml) ? { kind: 'svg', xml } : { kind: 'other', problem: 'its root element is not svg' };
}

/** The number of the line that an offset is in; 1 is the first. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

const drawingCodes = ['bimi-logo-not-tiny-ps', 'bimi-logo-not-square', 'bimi-logo-size-relative'] as const;
const logoCodes = [
  'bimi-logo-unreachable',
  'bimi-logo-not-svg',
  'bimi-logo-not-tiny-ps',
  'bimi-logo-too-large',
  'bimi-logo-not-square',
  'bimi-logo-size-relative',
] as const;
export type LogoCode = Extract<BimiCode, (typeof logoCodes)[number]>;

/** draft-svg-tiny-ps-abrotman §2.4: 32 kilobytes, taken the larger way. */
const advisedBytes = 32 * 1024;

/** Judges the logo, as far as it was seen. */
export function judgeLogo(logo: LogoObservation): Verdicts<LogoCode> {
  const drawing = judgeDrawing(logo);
  if (logo.kind === 'none') return eachOf(logoCodes, 'not-applicable');
  if (logo.kind === 'unseen') return eachOf(logoCodes, notTested(logo.why));
  const { url } = logo;
  if (logo.kind === 'lost')
    return {
      ...eachOf(logoCodes, 'not-applicable'),
      'bimi-logo-unreachable': brokenBy([{ url, reason: logo.reason }]),
    };
  return {
    ...drawing,
    'bimi-logo-unreachable': 'holds',
    'bimi-logo-not-svg':
      logo.kind === 'too-long'
        ? unread
        : brokenBy(logo.kind === 'other' ? [{ url, problem: logo.problem }] : []),
    'bimi-logo-too-large':
      logo.kind === 'too-long'
        ? brokenBy([{ url, size: 'more than 64 kB' }])
        : brokenIf(logo.sizeBytes > advisedBytes, { url, size: `${Math.ceil(logo.sizeBytes / 1024)} kB` }),
  };
}

const unread = notTested('the logo is longer than 64 kB, and no more is read');

function judgeDrawing(logo: LogoObservation): Verdicts<(typeof drawingCodes)[number]> {
  if (logo.kind !== 'svg') return eachOf(drawingCodes, logo.kind === 'too-long' ? unread : 'not-applicable');
  const { url, xml, text } = logo;
  const size = sizeOfSvg(xml.root);
  const attributes = relativeLengths(xml.root);
  const faults = groupByFix(judgeSvg(xml), text).map((fault) => ({ url, ...fault }));
  return {
    'bimi-logo-not-tiny-ps':
      faults.length === 0 && xml.hasEntities
        ? notTested('the logo declares entities of its own, which are not expanded')
        : brokenBy(faults),
    'bimi-logo-not-square': size
      ? brokenIf(isOblong(size.width, size.height), { url, ...size })
      : notTested('the logo does not say how large it is'),
    'bimi-logo-size-relative': brokenIf(attributes.length > 0, { url, attributes: attributes.join(' and ') }),
  };
}

// Editors write sizes with rounding errors of their own.
function isOblong(width: number, height: number): boolean {
  return Math.abs(width - height) > 0.01 * Math.max(Math.abs(width), Math.abs(height));
}

// One style attribute is reported like a hundred of them, each problem once, where it stands first.
function groupByFix(faults: readonly SvgFault[], text: string): Evidence[] {
  return [...Map.groupBy(faults, ({ problem }) => problem)].slice(0, 50).map(([problem, same]) => ({
    problem,
    line: lineOf(text, same[0]?.at ?? 0),
    count: same.length,
  }));
}

/** What in a logo breaks the profile, as a sentence; `at` is the offset of the element. */
type SvgFault = { readonly problem: string; readonly at: number };

const svgNamespace = 'http://www.w3.org/2000/svg';

/** True for a document whose root is svg, in the namespace of SVG or in none. */
export function isSvg({ root }: Xml): boolean {
  return localName(root.name) === 'svg' && [svgNamespace, null].includes(namespaceOf(root));
}

/** Judges a logo by SVG Tiny PS (draft-svg-tiny-ps-abrotman §2), as far as it can be known without drawing it. */
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

/** Elements of SVG Tiny 1.2 that draw or describe, without those that SVG Tiny PS takes away (draft-svg-tiny-ps-abrotman §2.3). */
const allowedElements: ReadonlySet<string> = new Set(
  `svg title desc metadata defs g switch use path rect circle ellipse line polyline polygon text tspan textArea
  tbreak linearGradient radialGradient stop solidColor font font-face font-face-src font-face-name font-face-uri
  glyph missing-glyph hkern`.split(/\s+/),
);

/** Attributes that need not be there, and have one value if they are (draft-svg-tiny-ps-abrotman §2.3). */
const fixedAttributes: ReadonlyMap<string, string> = new Map([
  ['zoomAndPan', 'disable'],
  ['externalResourcesRequired', 'false'],
  ['focusable', 'false'],
  ['snapshotTime', 'none'],
  ['playbackOrder', 'all'],
  ['timelineBegin', 'onLoad'],
]);

const reasons: ReadonlyMap<string, string> = new Map([
  ...['script', 'handler', 'listener'].map((name) => [name, 'which is a script'] as const),
  ...['animate', 'animateColor', 'animateMotion', 'animateTransform', 'set', 'mpath', 'discard'].map(
    (name) => [name, 'which is an animation'] as const,
  ),
  ...['image', 'foreignObject', 'audio', 'video', 'animation', 'prefetch'].map(
    (name) => [name, 'which embeds something that is not a drawing'] as const,
  ),
  ['a', 'which is a link'],
]);

/** Why an element is not allowed, as a clause. */
function whyForbidden(name: string): string {
  return reasons.get(name) ?? 'which the profile does not allow';
}

/** Width and height of a drawing; without a unit where they are those of its viewBox. */
type SvgSize = { readonly width: number; readonly height: number };

/** The size of a drawing by its viewBox, else by width and height; null where neither can be read. */
export function sizeOfSvg({ attributes }: XmlElement): SvgSize | null {
  const box = (attributes.get('viewBox') ?? '').trim().split(/[\s,]+/);
  const [, , width, height] = box.map(readNumber);
  if (box.length === 4 && width && height) return { width, height };
  const [across, down] = ['width', 'height'].map((name) => readLength(attributes.get(name) ?? ''));
  return across && down ? { width: across, height: down } : null;
}

/** The attributes of a drawing that give its size in percent: programs then do not know how large it is. */
function relativeLengths({ attributes }: XmlElement): string[] {
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
