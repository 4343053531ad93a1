import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about the security headers of an answer matters. */
export const headerWhys = whysOf(rules, {
  [commonWhys.unreachable]: ['target-unreachable'],
  [commonWhys.addressNotPublic]: ['target-address-not-allowed'],
  [commonWhys.notLookedAt]: ['target-not-allowed'],
  [commonWhys.blocksChecks]: ['target-blocks-checks'],
  [commonWhys.defaultPage]: ['target-is-default-page'],
  [commonWhys.errorStatus]: ['target-error-status'],
  [commonWhys.noDocument]: ['target-no-document'],
  [commonWhys.ipv6Broken]: ['ipv6-broken'],
  [commonWhys.addressFamiliesDiffer]: ['address-families-differ'],
  [commonWhys.ipv6Slow]: ['ipv6-slow'],
  'The page that redirects is loaded first and can be attacked like any other. Visitors who start there are exposed if it lacks the protection of the last page.':
    ['redirect-client-side'],
  [commonWhys.httpsMissing]: ['https-missing'],
  [commonWhys.certificateRefused]: ['certificate-not-trusted'],
  [commonWhys.notUpgraded]: ['http-not-upgraded'],
  [commonWhys.downgraded]: ['https-downgrade'],
  'On a hostile network, an attacker can catch the visitor at an unencrypted step and lead them to a false site. It hits people who type the address or follow an old link.':
    ['redirect-http-first'],
  [commonWhys.firstHostUnprotected]: ['https-upgrade-late', 'hsts-not-on-first-hop'],
  [commonWhys.noPage]: ['redirect-no-page'],
  'Each extra step adds waiting time, and one more answer that can lack a security header. It affects everyone who enters by this address.':
    ['redirect-chain-long'],
  [commonWhys.hstsMissing]: ['hsts-missing', 'hsts-off', 'hsts-invalid'],
  [commonWhys.hstsShort]: ['hsts-short'],
  'Some programs ignore the header when it comes twice. An attacker on the network can then keep their users on http.':
    ['hsts-duplicate'],
  'Browsers may obey a weaker value than the one you mean. Visitors are then less protected on hostile networks than you think.':
    ['hsts-duplicate-conflict'],
  'An attacker on the network can invent an unencrypted subdomain and set cookies for your site from it. That can disturb the sessions of visitors or put them into a false one.':
    ['hsts-no-subdomains'],
  'The site cannot be on the list of https sites that is built into browsers. People on their very first visit stay open to an attacker on the network.':
    ['hsts-preload-ineligible'],
  'If an attacker gets a script into the page, no policy stops it. The script can act as the visitor and read what they type, such as passwords.':
    [
      'csp-missing',
      'csp-report-only',
      'csp-script-unsafe-inline',
      'csp-script-wildcard',
      'csp-script-scheme',
      'csp-script-unrestricted',
    ],
  'This policy does not protect the page from scripts that an attacker injects. Such a script can act as the visitor and read what they type.':
    ['csp-meta-not-in-head'],
  'An attacker who can inject content into the page has a way around the policy. Their script can then act as the visitor and read what they type.':
    ['csp-bypass-host', 'csp-nonce-repeated', 'csp-base-uri-missing'],
  'A short value is easier to guess, and a script that guesses it runs. It can then act as the visitor and read what they type.':
    ['csp-nonce-weak'],
  'In old browsers, an attacker who can inject content can have it run by a plugin. Visitors who still use such a browser are exposed.':
    ['csp-object-unrestricted'],
  'If text from an attacker reaches such a function, it runs as part of your page. It can then act as the visitor and read what they type.':
    ['csp-unsafe-eval'],
  'An attacker who can add attributes to the page can set off its own handlers at the wrong moment. Visitors may then do things that they did not intend.':
    ['csp-unsafe-hashes'],
  'An attacker who can add an attribute to the page can run script with it. That script can act as the visitor and read what they type.':
    ['csp-attr-unsafe-inline'],
  'Styles that an attacker injects can hide or move content and, in some cases, read what is in a form. Visitors are misled or give away what they enter.':
    ['csp-style-unsafe-inline'],
  'Where the browser does not block it, an attacker on the network can replace what is loaded. The visitor then gets the script or content of a stranger inside your page.':
    ['csp-http-source', 'script-http'],
  'On a hostile network, an attacker can see which images or media a visitor loads, and replace them. It affects older browsers most, as newer ones ask for https instead.':
    ['csp-http-source-passive', 'mixed-content-passive'],
  'Current browsers block every script that the policy covers. Visitors get a page whose menus, buttons and forms may not work.':
    ['csp-strict-dynamic-alone'],
  'An attacker who can inject an element can make links and forms of the page lead elsewhere. Visitors who click or send a form end up at the wrong site.':
    ['csp-base-uri-missing-with-hosts'],
  'An attacker who can inject a form can have it sent to a site of their own. Visitors who fill it in give away what they type, such as passwords.':
    ['csp-form-action-missing'],
  'The policy does not do what you wrote: it can allow too much, or block what the page needs. Visitors are less protected, or see a page that is partly broken.':
    [
      'csp-directive-unknown',
      'csp-keyword-unquoted',
      'csp-source-invalid',
      'csp-non-ascii',
      'csp-semicolon-missing',
      'csp-none-combined',
      'csp-directive-duplicate',
      'csp-meta-ignored-directive',
      'csp-ip-source',
    ],
  'Scripts that come first run without the limits of this policy. If an attacker controls one of them, visitors are not protected from it.':
    ['csp-meta-late'],
  'You do not hear when the policy blocks an attack or a part of your own page. Faults that visitors meet stay hidden from you.':
    ['csp-report-endpoint-undefined'],
  'A script in the page can lift the limits that you put on it. Visitors then lack a protection that you rely on.':
    ['csp-sandbox-escape'],
  'Some proxies and programs refuse such long headers. Their users see an error instead of the page.': [
    'csp-too-large',
    'headers-too-large',
    'headers-large',
  ],
  'Another site can show your page invisibly and make people click in it. Visitors who are logged in can change settings or buy things without knowing.':
    ['framing-open', 'framing-allow-all', 'xfo-allow-from', 'xfo-invalid', 'xfo-in-meta', 'xfo-overridden'],
  'Some programs ignore the header when it comes twice. Another site can then trick their users into clicks on a page that they do not see.':
    ['xfo-duplicate'],
  'Browsers show the page in no frame, not even where you want it. Visitors to the pages that embed it see an error or an empty area.':
    ['xfo-conflict'],
  'Someone on the same network can read the cookie and take over the visitor’s session. They then act as that user, without a password.':
    ['cookie-session-no-secure', 'cookie-session-on-http'],
  'A script that an attacker gets into the page can steal the session. The attacker then acts as that user, without a password.':
    ['cookie-session-no-httponly'],
  'Someone on the same network can read or replace the cookie. Depending on its use, they can follow the visitor or change what the visitor sees.':
    ['cookie-on-http', 'cookie-no-secure'],
  'Browsers treat such a cookie differently, and some send it with requests that other sites start. If it identifies visitors, those sites can make them act without meaning to.':
    [
      'cookie-session-no-samesite',
      'cookie-csrf-no-samesite',
      'cookie-samesite-invalid',
      'cookie-no-samesite',
    ],
  'What depends on the cookie, such as a login, a basket or a setting, does not work. Visitors take it for a fault of the site.':
    ['cookie-refused'],
  'What depends on the second cookie, such as a setting, may not work. If it is no cookie, nobody is harmed.':
    ['cookie-comma'],
  'The cookie that you meant to protect goes without these attributes. Scripts or people on the same network may be able to read it.':
    ['cookie-attributes-alone'],
  'A cache between you and your visitors can hand one visitor’s cookie to another. A person can then end up in the session of a stranger.':
    ['cookie-cacheable'],
  'A weak or forgotten subdomain gets the session too. An attacker who takes it over can act as your logged-in users.':
    ['cookie-wide-domain'],
  'Any website can read what this address shows to a visitor who is logged in. The visitor only has to open a page of the attacker.':
    ['cors-reflects-origin-credentials', 'cors-null-credentials'],
  'Any website can read the answers of this address in a visitor’s browser. If they are meant for a few sites or an internal network only, outsiders get them.':
    ['cors-reflects-origin'],
  'Browsers refuse to hand the answer to a site that you want to allow. Users of that site meet a function that does not work.':
    ['cors-wildcard-credentials', 'cors-multiple-origins', 'cors-origin-invalid'],
  'A cache can give one site an answer that was made for another. Users of these sites meet functions that fail at random.':
    ['cors-vary-missing'],
  'A browser can run a file as script although it was sent as something else, for example an upload of a stranger. Visitors then run an attacker’s script on your site.':
    ['xcto-missing', 'xcto-invalid'],
  'Browsers can guess wrong what the content is. Visitors see garbled text or a download, or an upload of an attacker is shown as a page of yours.':
    ['content-type-missing'],
  'Where the page does not say it either, browsers guess, and accents or other scripts come out wrong. Visitors see garbled text.':
    ['content-type-charset-unknown'],
  'Other sites learn more about the page that a visitor comes from, and its address can contain names, search words or secret keys. It costs your visitors privacy.':
    ['referrer-policy-unsafe'],
  'Your choice does not count, and browsers use their default. Other sites may learn more about where your visitors come from than you want.':
    ['referrer-policy-invalid'],
  'A script that gets into the page can ask for camera, microphone or location in your name. Visitors who trust your site may agree.':
    ['permissions-policy-missing', 'permissions-policy-invalid', 'permissions-policy-legacy-syntax'],
  'Sites that are embedded in the page can ask for the feature. Visitors may agree because they trust your page.':
    ['permissions-policy-wildcard'],
  'A limit on a feature may not be in force as you wrote it. An embedded site or an injected script may then ask visitors for more than you want.':
    ['permissions-policy-ignored'],
  'You rely on a separation from other sites that is not in force. It is easier for a malicious site to spy on what visitors load or do here.':
    ['coop-invalid', 'coep-invalid', 'corp-invalid', 'dip-invalid'],
  'If the other host is hacked or sold, its new code runs in your page. That code can read what your visitors type, such as card numbers and passwords.':
    ['sri-missing', 'sri-invalid'],
  'Browsers refuse to load that content. Visitors see a gap, or a part of the page does not work.': [
    'sri-missing-crossorigin',
    'mixed-content-blocked',
  ],
  'Anyone on the same network can read and change what visitors enter, and browsers warn them before they send it. Customers give away data or turn back.':
    ['form-action-http'],
  'An attacker learns something of how your internal network is built and named. That makes an attack on you easier to plan.':
    ['leak-internal-host'],
  'An attacker can look up the known weaknesses of exactly this version. If you run it without its updates, your site is easy to find and to attack.':
    ['leak-version'],
  'Everybody can see and open what lies there, also what is linked nowhere, such as backups. Search engines may list it.':
    ['directory-listing'],
  'Some browsers or programs still obey the header, and there it does more harm than good. Their users are less protected, or the page fails for them.':
    ['deprecated-harmful'],
  'What you meant to delete stays in the browser. The next person at the same device may find data of the one before.':
    ['clear-site-data-skipped'],
  'Strict programs and proxies drop such a header or refuse the whole answer. Their users lose its protection or see an error.':
    ['header-malformed'],
  'People who find a security hole may not reach you through this file, or may not trust it. You then learn of the hole late, perhaps only from an attack.':
    [
      'security-txt-expired',
      'security-txt-no-contact',
      'security-txt-no-expires',
      'security-txt-expires-invalid',
      'security-txt-field-repeated',
      'security-txt-canonical-differs',
    ],
  'An attacker on the network can replace what is read there, such as the contact. Someone who reports a security hole may then tell the attacker instead of you.':
    ['security-txt-field-not-https', 'security-txt-not-https'],
});
