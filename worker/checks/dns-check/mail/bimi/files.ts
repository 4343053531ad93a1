import { gunzipSync } from 'node:zlib';
import { clip } from '../../../../mail/fault.ts';
import type { HttpAnswer, HttpProbe } from '../../../../probes/http/port.ts';
import type { BimiFiles, WebFile } from '../evidence.ts';
import { isUnheardCode } from '../state-of-record.ts';
import type { Bimi } from './parse-bimi.ts';

/** No draft forbids redirects of these files; receivers give up early. */
const redirectLimit = 3;

/** Fetches what a BIMI record names: the logo and the mark certificate, both at once. */
export async function fetchBimi(http: HttpProbe, { logo, authority }: Bimi): Promise<BimiFiles> {
  const fetchedAtS = Math.floor(Date.now() / 1000);
  const [logoFile, mark] = await Promise.all([
    logo === null ? null : fetchFile(http, logo),
    authority === null ? null : fetchFile(http, authority),
  ]);
  return { fetchedAtS, logo: logoFile, mark };
}

/** What stands for files that did not come in time. */
export function lateBimi(bimi: Bimi | null): BimiFiles {
  const late = (url: string | null = null): WebFile | null =>
    url === null ? null : { kind: 'failure', url, code: 'response-timeout', reason: 'no answer in time' };
  return { fetchedAtS: Math.floor(Date.now() / 1000), logo: late(bimi?.logo), mark: late(bimi?.authority) };
}

async function fetchFile(http: HttpProbe, address: string): Promise<WebFile> {
  let url = address;
  for (let hop = 0; ; hop += 1) {
    const answer = await http.ask({
      url,
      bodyLimitBytes: fileLimitBytes + 1,
      skipRedirectBody: true,
      asBytes: true,
    });
    const file = takeFile(url, answer);
    const next = hop < redirectLimit ? nextOf(file) : null;
    if (next === null) return file;
    url = next;
  }
}

function takeFile(url: string, answer: HttpAnswer): WebFile {
  if (answer.kind === 'failure') return { kind: 'failure', url, code: answer.code, reason: answer.reason };
  const { body, status, tls } = answer;
  if (body.cut === 'timeout' || body.cut === 'closed-early')
    return { kind: 'failure', url, code: 'response-timeout', reason: 'the answer stopped before its end' };
  const isWhole = body.cut === undefined && body.decodedBytes <= fileLimitBytes;
  return {
    kind: 'response',
    url,
    status,
    location: locationOf(answer),
    ...(status === 200 ? decodeFile(body.bytes ?? new Uint8Array(), isWhole) : nothing),
    certificateError: tls?.trusted === true ? null : (tls?.error ?? 'it is not trusted'),
  };
}

// An error page is of no use to anybody.
const nothing = { text: '', sizeBytes: null, form: 'text' } as const;

function locationOf({ status, headers }: Extract<HttpAnswer, { kind: 'response' }>): string | null {
  if (status < 300 || status > 399) return null;
  return headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? null;
}

// The only supported transport is https, on the way too; a server that is not trusted leads nowhere.
function nextOf(file: WebFile): string | null {
  if (file.kind === 'failure' || file.location === null || file.certificateError !== null) return null;
  if (!URL.canParse(file.location, file.url)) return null;
  const next = new URL(file.location, file.url);
  return next.protocol === 'https:' ? next.href : null;
}

/** How much of a file is read, without compression. A logo should have 32 kB at most, a certificate chain with a logo in it has about 20. */
const fileLimitBytes = 64 * 1024;

type Decoded = Pick<Extract<WebFile, { kind: 'response' }>, 'text' | 'sizeBytes' | 'form'>;

/**
 * Reads a file as text: SVG and PEM are, and SVG may be compressed by gzip (RFC 6170 §5.2).
 * @param isWhole false where the bytes are not all of it
 */
export function decodeFile(bytes: Uint8Array, isWhole: boolean): Decoded {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isWhole) return { text: '', sizeBytes: null, form: isPacked ? 'gzip' : 'text' };
  if (!isPacked) return { ...readText(bytes, 'text'), sizeBytes: bytes.length };
  const unpacked = unpack(bytes);
  if (unpacked === 'too-long') return { text: '', sizeBytes: null, form: 'gzip' };
  if (unpacked === 'broken') return { text: '', sizeBytes: bytes.length, form: 'gzip-broken' };
  return { ...readText(unpacked, 'gzip'), sizeBytes: unpacked.length };
}

/** Takes gzip compression off, up to the limit. */
export function unpack(bytes: Uint8Array): Uint8Array | 'too-long' | 'broken' {
  try {
    return gunzipSync(bytes, { maxOutputLength: fileLimitBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-long' : 'broken';
  }
}

// Control characters are in no XML and no PEM; a file that has them is not worth keeping.
function readText(bytes: Uint8Array, form: 'text' | 'gzip'): Pick<Decoded, 'text' | 'form'> {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)
    ? { text: '', form: 'binary' }
    : { text, form };
}

// XML in another encoding says so by its first bytes (XML 1.0 appendix F); the decoder drops them.
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

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
