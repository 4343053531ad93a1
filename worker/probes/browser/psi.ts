import { askService } from './ask-service.ts';
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
  const limits = { attemptMs: timeoutMs, totalMs: timeoutMs, limitBytes: answerLimitBytes };
  const answer = await askService({ address, ...limits }, signal);
  if (answer)
    return { kind: 'answer', source: 'psi', ...answer, tookMs: Math.round(performance.now() - start) };
  return {
    kind: 'failure',
    code: 'browser-unavailable',
    reason: 'PageSpeed Insights did not answer',
    fix: 'Let this server reach pagespeedonline.googleapis.com, or give it a browser: install Chrome or Chromium, or set BROWSER_PATH.',
  };
}
