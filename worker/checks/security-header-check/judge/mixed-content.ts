import type { mixedContentRules } from '#shared/catalogue/security-header-check/rules/content';
import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isHtml } from '../../../web/content-type.ts';
import type { ClearTextLoad } from '../evidence.ts';
import { type PageFacts, whyPageUnread } from '../facts/page.ts';
import { isUpgraded } from '../facts/policies.ts';
import { cut } from './verdict-tables.ts';

type Code = keyof typeof mixedContentRules;

/** Judges what an https page loads, and where its forms send, in clear text. Scripts and styles have a rule of their own. */
export function judgeMixedContent(page: PageFacts): Verdicts<Code> {
  const isConcerned = page.url.protocol === 'https:' && isHtml(page.type) && !isUpgraded(page.policies);
  const seen = page.document?.clearText ?? [];
  const why = whyPageUnread(page);
  const judge = (code: Code): Verdict => {
    if (!isConcerned) return 'not-applicable';
    const found = seen.filter((load) => codeOf(load) === code);
    if (found.length > 0) return brokenBy(found.map((load) => show(page, load)));
    return why === null ? 'holds' : notTested(why);
  };
  return {
    'mixed-content-passive': judge('mixed-content-passive'),
    'mixed-content-blocked': judge('mixed-content-blocked'),
    'form-action-http': judge('form-action-http'),
  };
}

// Browsers ask for https instead for images, audio and video, but neither for a srcset nor of an address (Mixed Content, "upgradeable").
function codeOf({ kind, element, attribute, isAddress }: ClearTextLoad): Code | undefined {
  if (kind === 'script' || kind === 'style') return undefined;
  if (kind === 'form') return 'form-action-http';
  const isImage = kind === 'image' && attribute !== 'srcset';
  const isMedia = kind === 'media' && element !== 'track';
  return (isImage || isMedia) && !isAddress ? 'mixed-content-passive' : 'mixed-content-blocked';
}

function show({ index, hop }: PageFacts, { element, count, address }: ClearTextLoad): Evidence {
  return { hop: index, url: hop.url, element: `<${element}>`, count, address: cut(address) };
}
