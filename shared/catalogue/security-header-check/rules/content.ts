import { inGroup } from '../groups.ts';
import {
  fetchStandard,
  htmlStandard,
  mixedContent,
  permissionsPolicy,
  referrerPolicy,
  subresourceIntegrity,
} from './references.ts';

const nosniff = fetchStandard('X-Content-Type-Options', 'x-content-type-options-header');

/** Whether browsers guess at what the content is. */
export const sniffingRules = inGroup('sniffing', {
  'xcto-missing': {
    severity: 'medium',
    title: 'X-Content-Type-Options is missing',
    detail: '{url} lets browsers run content as a script or style, whatever its type is.',
    fix: 'Send X-Content-Type-Options: nosniff with every response.',
    references: [nosniff],
  },
  'xcto-invalid': {
    severity: 'medium',
    title: 'X-Content-Type-Options does not say nosniff',
    detail: 'Its first value is "{value}". Browsers ignore the others.',
    fix: 'Send exactly nosniff.',
    references: [nosniff],
  },
  'xcto-duplicate': {
    severity: 'info',
    title: 'X-Content-Type-Options is sent more than once',
    detail: 'It is sent {count} times. Browsers use the first value, which is correct.',
    fix: 'Send it in one place.',
    references: [nosniff],
  },
  'content-type-missing': {
    severity: 'low',
    title: 'Content-Type is missing or not valid',
    detail: '{url} does not say what its content is, so browsers guess.',
    fix: 'Send the type, e.g. text/html; charset=utf-8.',
    references: ['RFC 9110 §8.3'],
  },
  'content-type-no-charset': {
    severity: 'info',
    title: 'Content-Type names no charset',
    detail: '"{value}" does not say how the text is encoded, so browsers guess.',
    fix: 'Add charset=utf-8.',
    references: ['RFC 9110 §8.3.2'],
  },
  'content-type-charset-unknown': {
    severity: 'low',
    title: 'Content-Type names a charset that browsers do not know',
    detail:
      '"{value}" names the charset {charset}, which browsers cannot read. They take what the page itself says of it, and guess where it says nothing.',
    fix: 'Send charset=utf-8, without single quotes.',
    references: [
      'RFC 9110 §8.3.2',
      {
        title: 'Encoding Standard: names and labels',
        url: 'https://encoding.spec.whatwg.org/#names-and-labels',
      },
    ],
  },
});

/** How much of this page's address other sites learn. */
export const referrerRules = inGroup('referrer', {
  'referrer-policy-unsafe': {
    severity: 'medium',
    title: 'The referrer policy is looser than the browsers’ default',
    detail:
      'The policy in force is {policy}, set by {source}. Other sites or clear-text hops learn more than they need.',
    fix: 'Send Referrer-Policy: strict-origin-when-cross-origin, or stricter.',
    references: [referrerPolicy('referrer policies', 'referrer-policies')],
  },
  'referrer-policy-invalid': {
    severity: 'low',
    title: 'Referrer-Policy has no value that browsers know',
    detail: '"{value}" is ignored. The default, strict-origin-when-cross-origin, is in force.',
    fix: 'Send one of the eight policies, e.g. strict-origin-when-cross-origin.',
    references: [referrerPolicy('parsing the header', 'parse-referrer-policy-from-header')],
  },
  'referrer-policy-missing': {
    severity: 'info',
    title: 'Referrer-Policy is missing',
    detail:
      'Current browsers use strict-origin-when-cross-origin by default; older ones send the whole address.',
    fix: 'Send Referrer-Policy: strict-origin-when-cross-origin.',
    references: [referrerPolicy('the default policy', 'default-referrer-policy')],
  },
  'referrer-policy-meta-overrides': {
    severity: 'info',
    title: 'A meta element loosens the referrer policy',
    detail: 'The header says {header}, a meta element says {meta}. The meta element is read later and wins.',
    fix: 'Remove the meta element.',
    references: [referrerPolicy('delivery by meta', 'referrer-policy-delivery-meta')],
  },
});

/** Which powerful features frames and the page itself may use. */
export const permissionsRules = inGroup('permissions', {
  'permissions-policy-missing': {
    severity: 'low',
    title: 'Permissions-Policy is missing',
    detail: '{url} does not switch off the features it does not use.',
    fix: 'Send Permissions-Policy: camera=(), microphone=(), geolocation=() and what else the page does not need.',
    references: [permissionsPolicy],
  },
  'permissions-policy-invalid': {
    severity: 'medium',
    title: 'Permissions-Policy cannot be parsed, so browsers ignore all of it',
    detail: '{reason}, in "{value}".',
    fix: 'It is a structured dictionary: feature=(self "https://a.example"), separated by commas.',
    references: [permissionsPolicy, 'RFC 9651 §3.2'],
  },
  'permissions-policy-legacy-syntax': {
    severity: 'medium',
    title: 'Permissions-Policy is written like Feature-Policy, so browsers ignore all of it',
    detail: '"{value}" separates features by semicolons or uses quotes around self and none.',
    fix: "Write camera=() for camera 'none', camera=(self) for camera 'self', separated by commas.",
    references: [permissionsPolicy, 'RFC 9651 §3.2'],
  },
  'permissions-policy-wildcard': {
    severity: 'low',
    title: 'A powerful feature is open to every frame',
    detail: '{feature}=* lets every embedded site ask for it.',
    fix: 'Use (), (self), or list the origins.',
    references: [permissionsPolicy],
  },
  'permissions-policy-ignored': {
    severity: 'low',
    title: 'Browsers ignore a part of Permissions-Policy',
    detail: '{feature}: {reason}. As browsers read it, {outcome}.',
    fix: 'Write a feature as feature=(), feature=(self) or feature=(self "https://a.example"), and put a comma between features.',
    references: [permissionsPolicy, 'RFC 9651 §3.2'],
  },
  'permissions-policy-unknown-feature': {
    severity: 'info',
    title: 'Permissions-Policy names a feature that browsers do not know',
    detail: '{feature} is ignored.',
    fix: 'Correct its spelling, or remove it.',
    references: [
      {
        title: 'Policy-controlled features',
        url: 'https://github.com/w3c/webappsec-permissions-policy/blob/main/features.md',
      },
    ],
  },
});

/** What an https page loads, or sends, in clear text. Scripts and styles have a rule of their own. */
export const mixedContentRules = inGroup('subresources', {
  'mixed-content-passive': {
    severity: 'low',
    title: 'An https page names images or media in clear text',
    detail:
      '{element} names addresses that begin with http:// ({count|time|times}), such as {address}. Browsers ask for https instead and show nothing where that fails; older ones load them in clear text.',
    fix: 'Write https:// in these addresses, or send Content-Security-Policy: upgrade-insecure-requests.',
    references: [mixedContent('upgradeable content', 'category-upgradeable')],
  },
  'mixed-content-blocked': {
    severity: 'medium',
    title: 'An https page names content in clear text that browsers block',
    detail:
      '{element} names addresses that begin with http:// ({count|time|times}), such as {address}. Browsers do not load them: visitors see a gap.',
    fix: 'Write https:// in these addresses, or send Content-Security-Policy: upgrade-insecure-requests.',
    references: [mixedContent('blockable content', 'category-blockable')],
  },
  'form-action-http': {
    severity: 'medium',
    title: 'A form of an https page sends its data in clear text',
    detail:
      '{element} leads to {address}. What visitors enter can be read and changed in transit; browsers warn before they send it.',
    fix: 'Write https:// in the address that the form leads to.',
    references: [
      'RFC 9110 §4.2.2',
      htmlStandard('form submission', 'form-control-infrastructure.html#form-submission-algorithm'),
    ],
  },
});

/** Whether scripts and styles from elsewhere can be swapped for others. */
export const subresourceRules = inGroup('subresources', {
  'script-http': {
    severity: 'high',
    title: 'An https page loads a script or style in clear text',
    detail: '{element} has {address}. Most browsers block it; others run whatever the network delivers.',
    fix: 'Load it over https.',
    references: [mixedContent('blockable content', 'category-blockable')],
  },
  'sri-missing': {
    severity: 'medium',
    title: 'Code from another site is loaded without integrity',
    detail: '{element} loads {address}. Anyone who controls that host controls this page.',
    fix: 'Add integrity="sha384-…" and crossorigin="anonymous", or host the file yourself.',
    references: [subresourceIntegrity('the integrity attribute', 'the-integrity-attribute')],
  },
  'sri-invalid': {
    severity: 'medium',
    title: 'An integrity attribute has no hash that browsers know',
    detail: '{element} for {address} has integrity="{value}". It is loaded unchecked.',
    fix: 'Use sha256, sha384 or sha512 in base64.',
    references: [subresourceIntegrity('parsing metadata', 'parse-metadata-section')],
  },
  'sri-missing-crossorigin': {
    severity: 'medium',
    title: 'A file with integrity is blocked because crossorigin is missing',
    detail:
      '{element} for {address} has integrity but no crossorigin. Browsers cannot check a file from another origin without it, so they block the file.',
    fix: 'Add crossorigin="anonymous".',
    references: [
      subresourceIntegrity(
        'is response eligible for integrity validation',
        'is-response-eligible-for-integrity-validation',
      ),
    ],
  },
  'integrity-policy-missing': {
    severity: 'info',
    title: 'Integrity-Policy is missing',
    detail:
      'Scripts of other sites on this page: {count}. Nothing tells browsers to refuse those without integrity.',
    fix: 'Send Integrity-Policy: blocked-destinations=(script).',
    references: [subresourceIntegrity('Integrity-Policy', 'integrity-policy-section')],
  },
});
