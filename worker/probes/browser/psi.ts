import type { BrowserFailure, BrowserRequest, PsiAnswer } from './port.ts';

export type PsiSettings = {
  /** PSI_API_KEY. */
  readonly key: string;
  /** "https://pagespeedonline.googleapis.com"; tests put a server of their own here. */
  readonly baseUrl: string;
};

/** Where PageSpeed Insights answers. */
export const psiBaseUrl = 'https://pagespeedonline.googleapis.com';

/** An answer with all its pictures is 1 to 2 MB. */
const answerLimitBytes = 8_000_000;

/**
 * Lets PageSpeed Insights load the page, where this machine has no browser. Not a target, and its name is the operator's choice, so it needs
 * no guard. The key goes into no reason.
 */
export async function askPsi(
  { key, baseUrl }: PsiSettings,
  { url, strategy, timeoutMs }: BrowserRequest,
  signal: AbortSignal,
): Promise<PsiAnswer | BrowserFailure> {
  const start = performance.now();
  const address = new URL('/pagespeedonline/v5/runPagespeed', baseUrl);
  address.search = new URLSearchParams({ url, strategy, category: 'performance', key }).toString();
  try {
    const answer = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readLimited(answer);
    const tookMs = Math.round(performance.now() - start);
    return { kind: 'answer', source: 'psi', status: answer.status, body: parse(text), tookMs };
  } catch {
    signal.throwIfAborted();
    // fetch tells a refused connection, a late answer and a broken one alike; none of them is the page's fault.
    return {
      kind: 'failure',
      code: 'browser-unavailable',
      reason: 'PageSpeed Insights did not answer',
      fix: 'Let this server reach pagespeedonline.googleapis.com, or give it a browser: install Chrome or Chromium, or set BROWSER_PATH.',
    };
  }
}

async function readLimited(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > answerLimitBytes) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told by the reader as an answer of no known shape
  }
}
