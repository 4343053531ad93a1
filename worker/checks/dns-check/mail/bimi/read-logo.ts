import { oncePerObservation } from '../../../../dns/observation.ts';
import type { WebFile } from '../evidence.ts';
import { isSvg } from './judge-svg.ts';
import { parseXml, type Xml } from './parse-xml.ts';
import { type FileObservation, readAbsent, readFile } from './read-file.ts';

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
