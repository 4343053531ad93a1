import { oncePerObservation } from '../../../../dns/observation.ts';
import type { WebFile } from '../evidence.ts';
import { parsePem } from './parse-pem.ts';
import { type FileObservation, readAbsent, readFile } from './read-file.ts';
import { type MarkChain, readChain } from './read-mark.ts';

/** The mark certificate as judgement sees it: `other` is a file without one, and why, as a sentence's end. */
export type MarkObservation =
  | Exclude<FileObservation, { kind: 'file' }>
  | { readonly kind: 'other'; readonly url: string; readonly problem: string }
  | { readonly kind: 'chain'; readonly url: string; readonly chain: MarkChain };

/**
 * Reads the file that the tag a names.
 * @param file undefined where it was not fetched, null where the record names none
 */
export function readMark(file: WebFile | null | undefined): MarkObservation {
  return file ? decodeMark(file) : readAbsent(file);
}

// Judged and shown: read once for both.
const decodeMark = oncePerObservation((file: WebFile): MarkObservation => {
  const observation = readFile(file);
  if (observation.kind !== 'file') return observation;
  const { url } = observation;
  const pem = parsePem(observation.text);
  if ('faults' in pem) return { kind: 'other', url, problem: pem.faults[0].problem };
  const chain = readChain(pem.certificates);
  return chain
    ? { kind: 'chain', url, chain }
    : { kind: 'other', url, problem: 'a certificate in it cannot be read' };
});
