import { readFileSync } from 'node:fs';
import type { PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import { readPsi } from '../../../worker/checks/pagespeed-check/gather/read-psi.ts';
import type { PsiAnswer } from '../../../worker/probes/browser/port.ts';
import { seen } from './evidence-kit.ts';

type Tree = { [key: string]: unknown };

/** An answer of PageSpeed Insights in its documented shape, written by hand: a page that is good but for its LCP. */
export function psiBody(): Tree {
  const url = new URL('../../fixtures/pagespeed-check/captured/psi-answer.json', import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as Tree;
}

/** The answer with some of the top keys changed. */
export function psiAnswer(change: Tree = {}, status = 200): PsiAnswer {
  return { kind: 'answer', source: 'psi', status, body: { ...psiBody(), ...change }, tookMs: 14_000 };
}

/** The answer with some keys of its lighthouseResult changed. */
export function psiResult(change: Tree): PsiAnswer {
  return psiAnswer({ lighthouseResult: { ...(psiBody()['lighthouseResult'] as Tree), ...change } });
}

/** What Lighthouse gave up on, as the API tells it. */
export function psiError(message: string, status = 400): PsiAnswer {
  return { ...psiAnswer({}, status), body: { error: { code: status, message, errors: [] } } };
}

/** The evidence of one such answer about a page asked for as a phone. */
export function seenByPsi(answer: PsiAnswer): PagespeedEvidence {
  return seen(readPsi(answer, 'mobile'));
}
