import { parse as parseDomain } from 'tldts';
import type { PageElement } from '../../evidence.ts';
import { attributeOf } from '../../facts/policies.ts';
import type { OutcomeOf } from './chart.ts';
import { isHtmlToObservatory, mimeOf, type ObservatoryView } from './view.ts';

type SriOutcome = OutcomeOf<'subresource-integrity'>;

// From best to worst; a worse one replaces a better one.
const order: readonly SriOutcome[] = [
  'sri-implemented-and-all-scripts-loaded-securely',
  'sri-implemented-but-external-scripts-not-loaded-securely',
  'sri-not-implemented-but-external-scripts-loaded-securely',
  'sri-not-implemented-and-external-scripts-not-loaded-securely',
];

/** Its integrity test: scripts only, by the text of src; <base> is not looked at, "//host" counts as insecure, any integrity as good. */
export function testIntegrity(view: ObservatoryView): SriOutcome {
  const mime = mimeOf(view.graded.headers);
  if (mime !== '' && !isHtmlToObservatory(mime)) return 'sri-not-implemented-response-not-html';
  const scripts = view.elements.filter(({ name }) => name === 'script');
  if (scripts.length === 0) return 'sri-not-implemented-but-no-scripts-loaded';
  let outcome: SriOutcome | undefined;
  let hasForeign = false;
  for (const script of scripts) {
    const seen = judgeScript(script, view.start);
    hasForeign ||= seen.isForeign;
    if (!seen.outcome) continue;
    // The bonus for integrity at home is given only while nothing else was found.
    if (!outcome || order.indexOf(seen.outcome) > order.indexOf(outcome)) outcome = seen.outcome;
  }
  if (outcome) return outcome;
  return hasForeign
    ? 'sri-implemented-and-external-scripts-loaded-securely'
    : 'sri-not-implemented-but-all-scripts-loaded-from-secure-origin';
}

function judgeScript(
  script: PageElement,
  start: URL,
): { readonly isForeign: boolean; readonly outcome?: SriOutcome } {
  const address = attributeOf(script, 'src');
  if (!address) return { isForeign: false };
  const hasIntegrity = Boolean(attributeOf(script, 'integrity'));
  const kind = kindOf(address);
  const isForeign = kind === 'protocol-relative' || (kind === 'absolute' && !isSameSite(address, start));
  const isSecure =
    kind === 'absolute'
      ? URL.parse(address)?.protocol === 'https:'
      : kind === 'relative' && start.protocol === 'https:';
  if (isForeign) {
    const outcome = foreignOutcome(hasIntegrity, isSecure);
    return outcome ? { isForeign, outcome } : { isForeign };
  }
  return hasIntegrity && isSecure
    ? { isForeign, outcome: 'sri-implemented-and-all-scripts-loaded-securely' }
    : { isForeign };
}

function foreignOutcome(hasIntegrity: boolean, isSecure: boolean): SriOutcome | undefined {
  if (hasIntegrity) return isSecure ? undefined : 'sri-implemented-but-external-scripts-not-loaded-securely';
  return isSecure
    ? 'sri-not-implemented-but-external-scripts-loaded-securely'
    : 'sri-not-implemented-and-external-scripts-not-loaded-securely';
}

function kindOf(address: string): 'protocol-relative' | 'absolute' | 'relative' {
  if (/^\/\/[^/]/.test(address)) return 'protocol-relative';
  return /^https?:\/\//.test(address) ? 'absolute' : 'relative';
}

function isSameSite(address: string, start: URL): boolean {
  return parseDomain(address).domain === parseDomain(start.hostname).domain;
}
