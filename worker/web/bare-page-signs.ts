import type { BlockKind, BlockSign } from './block-sign.ts';
import { isWaitingPage } from './waiting-page.ts';

/**
 * A bare page whose whole title is one of these texts, or has one beside the name of a site. Such a page asks, refuses or waits, whoever made
 * it: it is what a visitor meets before the site, with any status. A page about the subject has a navigation, an article, or a longer title.
 * @param phrase what the page must have behind its title
 */
function titled(id: string, kind: BlockKind, titles: string, phrase = ''): BlockSign {
  const [before, after] = ['(?:[^<|:·–—]{1,60}[^<] [-|:·–—] )?', '(?: [-|:·–—] [^<]{1,60})?'];
  const title = `<title>\\s{0,20}${before}(?:${titles})[\\s.!?…]{0,8}${after}\\s{0,20}</title>`;
  return bare(id, kind, new RegExp(phrase === '' ? title : `${title}[^]*?(?:${phrase})`, 'i'));
}

/** A sentence counts in the text of the page: what an app may say one day stands in its scripts. */
function bare(id: string, kind: BlockKind, phrase: RegExp): BlockSign {
  return { id, vendor: null, kind, certainty: 'likely', phrase };
}

/** Widgets of CAPTCHAs. They stand on many pages, so they count behind a title that asks for one. */
const captcha = 'h-captcha|g-recaptcha|cf-turnstile|frc-captcha|TCaptcha|smart-captcha|geetest';

/** Signs of nobody in particular: for products without a row, and for what owners write themselves. */
export const barePageSigns: readonly BlockSign[] = [
  titled(
    'browser-check',
    'challenge',
    "just a moment(?: please)?|one moment,? please|hold on|checking (?:your|the) browser|(?:ddos|anti-?bot|anti-?crawler) (?:protection|challenge)(?: page)?|(?:robot|bot|human) or (?:human|robot|bot)|are you (?:a )?(?:robot|bot|human)|(?:human|bot|browser|anti-?bot) verification|(?:please )?verify(?:ing)? (?:that )?you(?: are|'re|&#39;re|’re) (?:a |not a )?(?:human|robot|bot)|making sure you(?: are|'re|&#39;re|’re) not a bot|tiktok-verify-page",
  ),
  titled(
    'captcha-page',
    'challenge',
    '(?:security|human|robot|bot) (?:check|challenge)(?: required)?|(?:security )?verification(?: required)?|captcha(?: (?:challenge|verification|required|page))?|attention required|access denied|安全验证|人机验证|проверка(?: браузера)?',
    captcha,
  ),
  bare(
    'browser-check-phrase',
    'challenge',
    />[^<>{}"]{0,200}?(?:checking your browser before (?:accessing|redirecting|entering)|your request is being verified|verifying that you are (?:a human|not a robot))/i,
  ),
  titled(
    'refusal-page',
    'denial',
    '(?:error )?(?:403|401)(?: error)?(?: ?[-:–] ?| )?(?:access )?(?:forbidden|denied|unauthorized)?|access forbidden|access (?:to this (?:page|site|website|resource) )?(?:is |has been |was )?(?:denied|blocked|restricted)|(?:your )?(?:request|ip|ip address|access) (?:is |has been |was )?(?:blocked|rejected)|you (?:have been|are) blocked',
  ),
  bare(
    'region-refusal',
    'legal',
    />[^<>{}"]{0,200}?\b(?:site|website|page|service|content)\b[^<>{}"]{0,40}\b(?:unavailable|not (?:currently )?available|blocked|restricted) (?:in|from|to (?:users|visitors|readers) (?:in|from)) (?:your (?:country|region|location|area)|most european countries|the european (?:union|economic area)|the (?:eu|eea)\b)/i,
  ),
  { id: 'waiting-page', vendor: null, kind: 'challenge', certainty: 'likely', page: isWaitingPage },
  titled(
    'pause-page',
    'maintenance',
    "we(?: will|'ll|&#39;ll|’ll) be (?:right )?back(?: soon| shortly| later)?|(?:be right|back) (?:back|soon|shortly)|temporarily (?:unavailable|down|offline)|scheduled maintenance",
  ),
];
