import { inGroup } from '../groups.ts';
import { csp3 } from './references.ts';

const sourceLists = csp3('source lists', 'framework-directive-source-list');
const parsing = csp3('parsing a serialized policy', 'parse-serialized-policy');
const inline = csp3('element matching and inline checks', 'allow-all-inline');
const schemeMatching = csp3('URL matching', 'match-url-to-source-expression');
const nonces = csp3('nonce reuse', 'security-nonces');
const meta = csp3('the meta element', 'meta-element');
const strictDynamic = csp3('strict-dynamic', 'strict-dynamic-usage');

/** What stops a script that an attacker has put into the page. Judged on all enforced policies together: what one forbids is forbidden. */
export const cspRules = inGroup('script-injection', {
  'csp-missing': {
    severity: 'high',
    title: 'There is no Content-Security-Policy',
    detail: '{url} sends none. A script that gets into the page runs with all its rights.',
    fix: "Start with a report-only policy, then enforce one with nonces, object-src 'none' and base-uri 'none'.",
    references: [csp3('the header', 'csp-header')],
  },
  'csp-report-only': {
    severity: 'high',
    title: 'The Content-Security-Policy only reports',
    detail: 'There is a report-only policy and none that is enforced, so nothing is blocked.',
    fix: 'Send the policy as Content-Security-Policy once it causes no more reports.',
    references: [csp3('the report-only header', 'cspro-header')],
  },
  'csp-script-unsafe-inline': {
    severity: 'high',
    title: 'Inline scripts are allowed',
    detail:
      "{directive} has 'unsafe-inline', and no nonce or hash that would turn it off. Injected scripts run.",
    fix: 'Give each inline script a nonce or hash, or move it to a file.',
    references: [inline],
  },
  'csp-script-wildcard': {
    severity: 'high',
    title: 'Scripts may come from any host',
    detail: '{directive} has {source}. An attacker can load the script from a host of their own.',
    fix: "Use nonces with 'strict-dynamic', or list the hosts.",
    references: [schemeMatching],
  },
  'csp-script-scheme': {
    severity: 'high',
    title: 'Scripts may come from a whole scheme',
    detail: '{directive} has {source}, which covers any host or any inline content.',
    fix: 'Remove the scheme. Use nonces, or list the hosts.',
    references: [schemeMatching],
  },
  'csp-script-unrestricted': {
    severity: 'high',
    title: 'The Content-Security-Policy does not restrict scripts',
    detail: 'No enforced policy has script-src or default-src.',
    fix: 'Add script-src with nonces, or at least default-src.',
    references: [csp3('script-src', 'directive-script-src')],
  },
  'csp-object-unrestricted': {
    severity: 'medium',
    title: 'The Content-Security-Policy does not restrict plugins',
    detail: 'No enforced policy has object-src or default-src.',
    fix: "Add object-src 'none'.",
    references: [csp3('object-src', 'directive-object-src')],
  },
  'csp-unsafe-eval': {
    severity: 'medium',
    title: 'Text may be run as script',
    detail: "{directive} has 'unsafe-eval': eval() and similar functions turn text into script.",
    fix: 'Replace eval(), new Function() and timers with text, then remove it.',
    references: [csp3('EnsureCSPDoesNotBlockStringCompilation', 'can-compile-strings')],
  },
  'csp-unsafe-hashes': {
    severity: 'low',
    title: 'Event handlers are allowed by hash',
    detail:
      "{directive} has 'unsafe-hashes': an attacker who can add an attribute can run the listed handlers.",
    fix: 'Attach the handlers from a script, and remove it.',
    references: [csp3('unsafe-hashes', 'unsafe-hashes-usage')],
  },
  'csp-wasm-unsafe-eval': {
    severity: 'info',
    title: 'WebAssembly may be compiled',
    detail: "{directive} has 'wasm-unsafe-eval'.",
    fix: 'You do not need to do anything if the page needs WebAssembly.',
    references: [csp3('EnsureCSPDoesNotBlockWasmByteCompilation', 'can-compile-wasm-bytes')],
  },
  'csp-attr-unsafe-inline': {
    severity: 'medium',
    title: 'Inline event handlers are allowed',
    detail:
      "{directive} has 'unsafe-inline': an injected onerror= or onclick= runs, although script elements are restricted.",
    fix: "Set script-src-attr 'none', and attach handlers from a script.",
    references: [csp3('script-src-attr', 'directive-script-src-attr')],
  },
  'csp-style-unsafe-inline': {
    severity: 'low',
    title: 'Inline styles are allowed',
    detail:
      "{directive} has 'unsafe-inline'; injected styles can read out form values and hide or move content.",
    fix: 'Give each style element a nonce or hash.',
    references: [inline],
  },
  'csp-http-source': {
    severity: 'high',
    title: 'The policy of an https page allows clear-text sources',
    detail:
      '{directive} has {source}. What it loads can be changed in transit where the browser does not block it.',
    fix: 'Use https:// for the source.',
    references: [schemeMatching],
  },
  'csp-http-source-passive': {
    severity: 'medium',
    title: 'Images or media may come in clear text',
    detail: '{directive} has {source}.',
    fix: 'Use https:// for the source.',
    references: [schemeMatching],
  },
  'csp-bypass-host': {
    severity: 'medium',
    title: 'An allowed host serves scripts that bypass the policy',
    detail:
      '{directive} allows {source}. {host} is known to serve JSONP or Angular, which can be used to run any script.',
    fix: "Use nonces with 'strict-dynamic' instead of hosts, or host the library yourself.",
    references: [
      {
        title: 'Weichselbaum et al.: CSP Is Dead, Long Live CSP!',
        url: 'https://research.google/pubs/pub45542/',
      },
    ],
  },
  'csp-nonce-weak': {
    severity: 'medium',
    title: 'A nonce is too short',
    detail: 'A nonce in {directive} has about {bits} bits; at least 128 random bits are recommended.',
    fix: 'Generate 16 random bytes for each response, and send them as base64.',
    references: [csp3('nonce source expressions', 'security-nonces')],
  },
  'csp-nonce-repeated': {
    severity: 'critical',
    title: 'The nonce is the same in every response',
    detail:
      'Two responses came with the same nonce. An attacker who reads it once can use it in injected scripts.',
    fix: 'Generate a new nonce for each response. If pages are cached, use hashes.',
    references: [nonces],
  },
  'csp-strict-dynamic-alone': {
    severity: 'low',
    title: "'strict-dynamic' is used without a nonce or hash",
    detail: '{directive} trusts no first script, so it blocks every script of the page.',
    fix: 'Add a nonce or hash for the scripts that the page starts with.',
    references: [strictDynamic],
  },
  'csp-base-uri-missing': {
    severity: 'high',
    title: 'An injected base element can redirect the trusted scripts',
    detail:
      'Scripts are trusted by nonce or hash, and no base-uri keeps an injected <base> from moving their relative addresses.',
    fix: "Add base-uri 'none' or 'self'; it does not fall back to default-src.",
    references: [csp3('base-uri', 'directive-base-uri')],
  },
  'csp-base-uri-missing-with-hosts': {
    severity: 'low',
    title: 'base-uri is missing',
    detail:
      'An injected <base> moves the relative addresses of links and forms, and of scripts within the hosts that are allowed.',
    fix: "Add base-uri 'none' or 'self'; it does not fall back to default-src.",
    references: [csp3('base-uri', 'directive-base-uri')],
  },
  'csp-form-action-missing': {
    severity: 'low',
    title: 'form-action is missing',
    detail: 'An injected form may send what is typed to any site; default-src does not cover forms.',
    fix: "Add form-action 'self', or the hosts that forms are sent to.",
    references: [csp3('form-action', 'directive-form-action')],
  },
  'csp-directive-unknown': {
    severity: 'medium',
    title: 'A directive is not known, so browsers ignore it',
    detail: '"{directive}" is not a directive{suggestion}.',
    fix: 'Correct its spelling, or remove it.',
    references: [csp3('directives', 'csp-directives')],
  },
  'csp-keyword-unquoted': {
    severity: 'medium',
    title: 'A keyword lacks its quotes, so it means a host',
    detail: '{directive} has {source} without single quotes. Browsers read it as a host of that name.',
    fix: "Put it in single quotes: '{source}'.",
    references: [sourceLists],
  },
  'csp-source-invalid': {
    severity: 'low',
    title: 'A source is not valid, so browsers ignore it',
    detail: '{directive} has {source}, which {reason}.',
    fix: 'Correct it, or remove it.',
    references: [sourceLists],
  },
  'csp-semicolon-missing': {
    severity: 'high',
    title: 'A semicolon is missing in the Content-Security-Policy',
    detail:
      'A semicolon is missing before {swallowed}. Browsers read it and all that follows as a part of {directive}, so {swallowed} is not in force.',
    fix: 'Put a semicolon before {swallowed}: each directive ends with one.',
    references: [parsing],
  },
  'csp-non-ascii': {
    severity: 'medium',
    title: 'A directive with characters that none may have is dropped',
    detail:
      'The directive at character {offset} has bytes beyond ASCII, or control characters. Browsers ignore the whole directive.',
    fix: 'Remove control characters. Write international host names in Punycode, and percent-encode paths.',
    references: [parsing],
  },
  'csp-none-combined': {
    severity: 'low',
    title: "'none' beside other sources is ignored",
    detail: "{directive} has 'none' and {count} more. 'none' only counts when it is alone.",
    fix: "Remove 'none', or the other sources.",
    references: [sourceLists],
  },
  'csp-directive-duplicate': {
    severity: 'low',
    title: 'A directive appears twice in one policy',
    detail: '{directive} is repeated. Browsers use the first and ignore "{value}".',
    fix: 'Join the two into one directive.',
    references: [parsing],
  },
  'csp-directive-deprecated': {
    severity: 'info',
    title: 'A directive is obsolete',
    detail: '{directive} does nothing in current browsers.',
    fix: 'Remove it.',
    references: [csp3('directives', 'csp-directives')],
  },
  'csp-meta-ignored-directive': {
    severity: 'medium',
    title: 'A directive in a meta element is ignored',
    detail: '{directive} only works in the response header.',
    fix: 'Send the policy as a response header.',
    references: [meta],
  },
  'csp-meta-not-in-head': {
    severity: 'high',
    title: 'A policy in a meta element outside the head is ignored',
    detail: 'The meta element is in {place}. Browsers only read it as a child of head.',
    fix: 'Send the policy as a response header, or put the element first in head.',
    references: [meta],
  },
  'csp-meta-late': {
    severity: 'low',
    title: 'Scripts come before the meta element with the policy',
    detail: 'It does not restrict {count|script element that comes|script elements that come} before it.',
    fix: 'Send the policy as a response header, or put the element first in head.',
    references: [meta],
  },
  'csp-multiple-policies': {
    severity: 'info',
    title: 'Several policies are enforced together',
    detail: '{count} policies are enforced. A load must be allowed by every one of them.',
    fix: 'You do not need to do anything if this is intended. Otherwise join them into one.',
    references: [csp3('multiple policies', 'multiple-policies')],
  },
  'csp-report-endpoint-undefined': {
    severity: 'low',
    title: 'Reports are sent to an endpoint that is not defined',
    detail:
      'report-to names "{endpoint}", but Reporting-Endpoints defines no https address for it. No report arrives.',
    fix: 'Define it: Reporting-Endpoints: name="https://…".',
    references: [
      { title: 'Reporting API: Reporting-Endpoints', url: 'https://www.w3.org/TR/reporting-1/#header' },
    ],
  },
  'csp-report-uri-only': {
    severity: 'info',
    title: 'Reports only use report-uri',
    detail: 'report-to replaces report-uri. Until every browser supports it, send both.',
    fix: 'Add report-to and a Reporting-Endpoints header.',
    references: [csp3('report-uri', 'directive-report-uri')],
  },
  'csp-sandbox-escape': {
    severity: 'low',
    title: 'A script can leave the sandbox',
    detail: 'sandbox has both allow-scripts and allow-same-origin. A script of the page can then remove it.',
    fix: 'Remove one of the two.',
    references: [csp3('sandbox', 'directive-sandbox')],
  },
  'csp-ip-source': {
    severity: 'low',
    title: 'A source is an IP address, which browsers do not match',
    detail: '{directive} has {source}. The only address that browsers match is 127.0.0.1.',
    fix: 'Use a host name.',
    references: [schemeMatching],
  },
  'csp-too-large': {
    severity: 'low',
    title: 'The policy is very long',
    detail: 'It has {bytes} bytes. Many servers and proxies refuse header sections of more than 8 KiB.',
    fix: "Use nonces with 'strict-dynamic' instead of long lists of hosts.",
    references: [csp3('the header', 'csp-header')],
  },
  'trusted-types-missing': {
    severity: 'info',
    title: 'Trusted Types are not required',
    detail:
      "No policy has require-trusted-types-for 'script'. Text can reach innerHTML and similar properties unchecked.",
    fix: "Add require-trusted-types-for 'script' once the page's scripts are ready for it.",
    references: [
      {
        title: 'Trusted Types: enforcement',
        url: 'https://www.w3.org/TR/trusted-types/#require-trusted-types-for-csp-directive',
      },
    ],
  },
});
