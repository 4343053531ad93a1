import type { isolationRules } from '#shared/catalogue/security-header-check/rules/cross-origin';
import { brokenBy, isMalformed, type Malformed, type Verdict, type Verdicts } from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import { type Isolation, readIsolation } from '../facts/isolation.ts';
import type { PageFacts } from '../facts/page.ts';
import { brokenWhen, fieldAt, where } from './verdict-tables.ts';

/** Judges the three cross-origin policies; opener and embedder only where the answer is a page over https. */
export function judgeIsolation(page: PageFacts): Verdicts<keyof typeof isolationRules> {
  const { opener, embedder, resource, document, effective } = readIsolation(page);
  const seen = { hop: page.index, url: page.hop.url };
  const isSecurePage = page.isDocument && page.url.protocol === 'https:';
  const forPages = (verdict: Verdict): Verdict => (isSecurePage ? verdict : 'not-applicable');
  const invalid = (header: string, parsed: object | Malformed | undefined): Verdict => {
    const reason = parsed && isMalformed(parsed) ? parsed.malformed : undefined;
    const sent = fieldAt(page, header, valuesOf(page.fields, header).join(', '));
    return where(parsed !== undefined, brokenWhen(reason !== undefined && { ...sent, reason }));
  };
  const alone = effective.opener !== 'same-origin' && !effective.crossOriginIsolated;
  return {
    'coop-missing': forPages(brokenWhen(opener === undefined && seen)),
    'coop-invalid': forPages(invalid('cross-origin-opener-policy', opener)),
    'coep-invalid': forPages(invalid('cross-origin-embedder-policy', embedder)),
    'coep-without-coop': forPages(
      where(
        effective.embedder !== 'unsafe-none',
        brokenWhen(alone && { ...seen, value: effective.embedder }),
      ),
    ),
    'corp-missing': brokenWhen(resource === undefined && seen),
    'corp-invalid': invalid('cross-origin-resource-policy', resource),
    'dip-invalid': forPages(invalid('document-isolation-policy', document)),
    'isolation-ok': effective.crossOriginIsolated
      ? forPages(brokenBy([{ ...seen, outcome: tellIsolation(effective) }]))
      : 'not-applicable',
  };
}

function tellIsolation({ opener, embedder, documentIsolation }: Isolation['effective']): string {
  return opener === 'same-origin' && embedder !== 'unsafe-none'
    ? `Cross-Origin-Opener-Policy same-origin and Cross-Origin-Embedder-Policy ${embedder} work together.`
    : `Document-Isolation-Policy ${documentIsolation} isolates it in Chromium. Other browsers do not know that header.`;
}
