import type { HttpAnswer, HttpProbe } from '../../../../probes/http/port.ts';
import type { BimiFiles, WebFile } from '../evidence.ts';
import { decodeFile, fileLimitBytes } from './decode-file.ts';
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
