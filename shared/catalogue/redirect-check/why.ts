import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about redirects matters. */
export const redirectWhys = whysOf(rules, {
  [commonWhys.downgraded]: ['https-downgrade'],
  [commonWhys.noPage]: [
    'redirect-loop',
    'redirect-too-many',
    'redirect-to-nowhere',
    'location-invalid',
    'location-ambiguous',
    'location-scheme-not-allowed',
  ],
  'People on a computer, or on a phone without the app, get stuck here. To them the link looks broken.': [
    'location-app-scheme',
  ],
  [commonWhys.certificateRefused]: ['certificate-not-trusted'],
  [commonWhys.notUpgraded]: ['http-not-upgraded'],
  [commonWhys.errorStatus]: ['target-error-status'],
  [commonWhys.noDocument]: ['target-no-document'],
  [commonWhys.blocksChecks]: ['target-blocks-checks'],
  [commonWhys.defaultPage]: ['target-is-default-page'],
  'Browsers show a page that is cut off, or an error. Visitors miss content, and search engines may list only a part of it.':
    ['target-body-broken'],
  [commonWhys.unreachable]: ['target-unreachable'],
  [commonWhys.addressNotPublic]: ['target-address-not-allowed'],
  [commonWhys.notLookedAt]: ['target-not-allowed'],
  'Strict programs, proxies and delivery networks refuse the answer. People behind them cannot use the address, while your own browser shows nothing wrong.':
    ['answer-malformed'],
  'The name or password ends up in browser histories, in logs and at other sites. A stranger who finds it there may log in with it.':
    ['location-credentials'],
  'Visitors can take the address for another site, as in phishing, and browsers or mail filters may warn of it. If you did not write it, someone else leads your visitors away.':
    ['location-lure'],
  'Browsers stop here and often show an empty page. Visitors do not get to the page that you mean.': [
    'location-missing',
    'location-empty',
    'redirect-status-not-followed',
  ],
  'Some servers and proxies refuse an address of that length. Visitors who pass through one see an error instead of the page.':
    ['location-too-long'],
  'Browsers repair the address, and other programs do so in another way or not at all. Some apps and search engines end up at a wrong page.':
    ['location-slashes', 'location-not-encoded'],
  'Search engines and visitors who refuse cookies do not get the page. It can be missing in search results, and those visitors give up.':
    ['redirect-cookie-required'],
  'Criminals can send links that begin with your address and end at a site of theirs. People who trust your name, such as customers, may enter passwords there.':
    ['redirect-open-suspected'],
  'Visitors look at an empty window for many seconds, and many leave. It affects everyone who enters by this address.':
    ['redirect-chain-slow'],
  'Each extra step makes visitors wait before the page starts to load. People on slow or mobile connections feel it most.':
    ['redirect-chain-long'],
  'Some programs give up before they reach the page, and their users see nothing. Everyone else waits for each step.':
    ['redirect-chain-very-long'],
  'Google gives up before it reaches the page, so people do not find it by this address. Visitors wait for each step.':
    ['redirect-chain-past-crawlers'],
  'Browsers ask the old address again each time, so visitors who come back wait longer. Search engines may go on listing the old address.':
    ['redirect-temporary'],
  [commonWhys.firstHostUnprotected]: ['https-upgrade-late'],
  'Visitors load a whole page before the right one, and the back button may hold them there. Search engines can be late to follow, or not follow at all.':
    ['redirect-client-side'],
  'People who follow a link to a certain page land on the front page and have to search again. Search engines lose the page at its old address.':
    ['redirect-path-not-kept'],
  'Programs that do not remember the https rule, such as many apps, send the request unencrypted. Anyone on the same network can read and change it for their users.':
    ['hsts-upgrades-browser'],
  [commonWhys.ipv6Broken]: ['ipv6-broken'],
  [commonWhys.addressFamiliesDiffer]: ['address-families-differ'],
  [commonWhys.ipv6Slow]: ['ipv6-slow'],
});
