import { clip } from '../../../../mail/fault.ts';
import type { WebFile } from '../evidence.ts';
import { isUnheardCode } from '../is-unheard.ts';

/** A file as judgement sees it; texts end a sentence. */
export type FileObservation =
  /** The record names none. */
  | { readonly kind: 'none' }
  /** Nobody knows what is there. */
  | { readonly kind: 'unseen'; readonly why: string }
  /** There is nothing that a mail program could fetch. */
  | { readonly kind: 'lost'; readonly url: string; readonly reason: string }
  | { readonly kind: 'too-long'; readonly url: string }
  | {
      readonly kind: 'file';
      readonly url: string;
      readonly text: string;
      readonly sizeBytes: number;
      readonly form: Extract<WebFile, { kind: 'response' }>['form'];
    };

/** What stands for a file that is not there: undefined was not fetched, null is named by no record. */
export function readAbsent(file: null | undefined): Extract<FileObservation, { kind: 'none' | 'unseen' }> {
  return file === null ? { kind: 'none' } : { kind: 'unseen', why: 'the file was not fetched' };
}

/** Reads how a file was fetched. */
export function readFile(file: WebFile): FileObservation {
  const url = clip(file.url);
  if (file.kind === 'failure')
    return isUnheardCode(file.code)
      ? { kind: 'unseen', why: `${url} could not be fetched: ${file.reason}` }
      : { kind: 'lost', url, reason: file.reason };
  const { certificateError, sizeBytes, text, form } = file;
  if (certificateError !== null)
    return { kind: 'lost', url, reason: `its certificate is refused (${certificateError})` };
  const reason = describeStatus(file);
  if (reason !== null) return { kind: 'lost', url, reason };
  return sizeBytes === null ? { kind: 'too-long', url } : { kind: 'file', url, text, sizeBytes, form };
}

function describeStatus({ status, location }: Extract<WebFile, { kind: 'response' }>): string | null {
  if (status === 200) return null;
  return `the server answers ${status}${location === null ? '' : ` and leads to ${clip(location)}`}`;
}
