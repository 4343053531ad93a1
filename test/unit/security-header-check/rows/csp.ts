import { baseline, baselineWith, cors, csp, html, metaCsp, script, see } from '../observations.ts';
import type { Row } from './row.ts';

const name = 'Content-Security-Policy';
/** What each policy of a row has beside the directive it is about, so that only that one is found. */
const rest =
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const policy = (directives: string) => baselineWith({ [name]: directives });
const scripts = (sources: string) => policy(`script-src ${sources}; ${rest}`);
const bare = baseline.filter(([field]) => field !== name);
const unfilled = [...bare, csp(`script-src 'nonce-%NONCE%'; ${rest}`)];
const nonce = "'nonce-tLFyHmvyl1VgQ2vYk0aUsQ=='";

export const cspRows: readonly Row[] = [
  {
    name: 'no policy at all',
    evidence: see({ headers: [...bare, ['X-Frame-Options', 'DENY']] }),
    broken: ['csp-missing'],
    score: 85,
  },
  {
    name: 'a page that could not be read may have its policy in a meta element',
    evidence: see({ headers: [...bare, ['X-Frame-Options', 'DENY']], elements: null }),
    broken: [],
    notTested: ['csp-missing', 'sri-missing'],
  },
  {
    name: 'so it may where another only reports',
    evidence: see({
      headers: [
        ...bare,
        ['X-Frame-Options', 'DENY'],
        ['Content-Security-Policy-Report-Only', "script-src 'self'"],
      ],
      elements: null,
    }),
    broken: [],
    notTested: ['csp-missing', 'csp-report-only'],
  },
  {
    name: 'a head that was read to its end holds none, however long the body',
    evidence: see({
      headers: [...bare, ['X-Frame-Options', 'DENY']],
      elements: [script({}, 'head'), script({}, 'body')],
      cut: 'its body was cut (limit)',
    }),
    broken: ['csp-missing'],
  },
  {
    name: 'a head that is cut may hold one',
    evidence: see({
      headers: [...bare, ['X-Frame-Options', 'DENY']],
      elements: [script({}, 'head')],
      cut: 'its body was cut (limit)',
    }),
    broken: [],
    notTested: ['csp-missing'],
  },
  {
    name: 'a policy that only reports blocks nothing',
    evidence: baselineWith({
      [name]: null,
      'Content-Security-Policy-Report-Only': "default-src 'self'",
      'X-Frame-Options': 'DENY',
    }),
    broken: ['csp-report-only'],
  },
  {
    name: 'a comma makes two policies of one line',
    evidence: policy(`script-src 'self'; ${rest}, default-src 'self'`),
    broken: [],
    info: ['csp-multiple-policies'],
  },
  {
    name: 'inline scripts',
    evidence: scripts("'self' 'unsafe-inline'"),
    broken: ['csp-script-unsafe-inline'],
    score: 85,
  },
  {
    name: 'a nonce switches unsafe-inline off',
    evidence: scripts(`'unsafe-inline' ${nonce}`),
    broken: [],
    holds: ['csp-script-unsafe-inline', 'csp-nonce-weak'],
  },
  {
    name: 'script-src-elem wins over script-src for elements',
    evidence: scripts("'self'; script-src-elem * 'unsafe-inline'"),
    broken: ['csp-script-unsafe-inline', 'csp-script-wildcard'],
    score: 85,
  },
  {
    name: 'strict-dynamic switches hosts and unsafe-inline off',
    evidence: scripts(`'strict-dynamic' ${nonce} 'unsafe-inline' https: http: *`),
    broken: [],
    holds: ['csp-script-scheme', 'csp-script-wildcard', 'csp-http-source'],
  },
  { name: 'any host', evidence: scripts('*'), broken: ['csp-script-wildcard'] },
  {
    name: 'any host of a public suffix',
    evidence: scripts('https://*.netlify.app'),
    broken: ['csp-script-wildcard'],
  },
  { name: 'any https host', evidence: scripts('https:'), broken: ['csp-script-scheme'] },
  { name: 'scripts from data:', evidence: scripts("'self' data:"), broken: ['csp-script-scheme'] },
  {
    name: 'a policy without a word on scripts',
    evidence: policy(`img-src 'self'; ${rest}`),
    broken: ['csp-script-unrestricted'],
    notApplicable: ['csp-script-unsafe-inline', 'csp-unsafe-eval'],
  },
  {
    name: 'the second of two policies cannot loosen the first',
    evidence: baselineWith({
      [name]: [`script-src 'self'; ${rest}`, "script-src * 'unsafe-inline' 'unsafe-eval' http:"],
    }),
    broken: [],
    info: ['csp-multiple-policies'],
    holds: ['csp-script-unsafe-inline', 'csp-script-wildcard', 'csp-unsafe-eval', 'csp-http-source'],
  },
  {
    name: 'two policies that both allow inline scripts allow them',
    evidence: baselineWith({ [name]: [`img-src 'self'; ${rest}`, "script-src 'unsafe-inline'"] }),
    broken: ['csp-script-unsafe-inline'],
    info: ['csp-multiple-policies'],
  },
  {
    name: 'no object-src and no default-src',
    evidence: policy(`script-src 'self'; ${rest.replace("object-src 'none'; ", '')}`),
    broken: ['csp-object-unrestricted'],
  },
  { name: 'eval', evidence: scripts("'self' 'unsafe-eval'"), broken: ['csp-unsafe-eval'], score: 92.5 },
  {
    name: 'handlers by hash',
    evidence: scripts("'self' 'unsafe-hashes' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"),
    broken: ['csp-unsafe-hashes'],
  },
  {
    name: 'WebAssembly',
    evidence: scripts("'self' 'wasm-unsafe-eval'"),
    broken: [],
    info: ['csp-wasm-unsafe-eval'],
  },
  {
    name: 'inline handlers though elements are held',
    evidence: scripts("'self'; script-src-attr 'unsafe-inline'"),
    broken: ['csp-attr-unsafe-inline'],
  },
  {
    name: 'inline styles',
    evidence: scripts("'self'; style-src 'unsafe-inline'"),
    broken: ['csp-style-unsafe-inline'],
  },
  { name: 'scripts in clear text', evidence: scripts('http://cdn.test'), broken: ['csp-http-source'] },
  {
    name: 'upgrade-insecure-requests makes clear-text sources harmless',
    evidence: scripts('http://cdn.test; upgrade-insecure-requests'),
    broken: [],
    notApplicable: ['csp-http-source'],
  },
  {
    name: 'images in clear text',
    evidence: scripts("'self'; img-src http://images.test"),
    broken: ['csp-http-source-passive'],
    holds: ['csp-http-source'],
  },
  {
    name: 'a host that serves JSONP',
    evidence: scripts('https://ajax.googleapis.com'),
    broken: ['csp-bypass-host'],
  },
  {
    name: 'a path that holds no bypass',
    evidence: scripts('https://ajax.googleapis.com/mine/'),
    broken: [],
    holds: ['csp-bypass-host'],
  },
  {
    name: 'a nonce that was never filled in is none to browsers',
    evidence: see({ headers: unfilled, cors: [cors(unfilled), cors([], { origin: 'null' })] }),
    broken: ['csp-source-invalid'],
    notApplicable: ['csp-nonce-weak', 'csp-nonce-repeated'],
  },
  {
    name: "beside such a nonce 'unsafe-inline' counts",
    evidence: scripts("'nonce-' 'unsafe-inline'"),
    broken: ['csp-script-unsafe-inline', 'csp-source-invalid'],
    notApplicable: ['csp-nonce-weak', 'csp-attr-unsafe-inline'],
    score: 85,
  },
  { name: 'a nonce of eight signs', evidence: scripts("'nonce-abcdefgh'"), broken: ['csp-nonce-weak'] },
  {
    name: 'the same nonce twice',
    evidence: see({ headers: baseline, cors: [cors(baseline), cors([], { origin: 'null' })] }),
    broken: ['csp-nonce-repeated'],
    score: 80,
  },
  {
    name: 'another nonce in the second answer',
    evidence: see({
      headers: baseline,
      cors: [cors([csp("script-src 'nonce-0123456789012345678901=='")]), cors([], { origin: 'null' })],
    }),
    broken: [],
    holds: ['csp-nonce-repeated'],
  },
  {
    name: 'strict-dynamic alone blocks all scripts',
    evidence: scripts("'strict-dynamic'"),
    broken: ['csp-strict-dynamic-alone'],
    score: 98,
  },
  {
    name: 'nonces without base-uri',
    evidence: policy(`script-src ${nonce}; ${rest.replace("base-uri 'none'; ", '')}`),
    broken: ['csp-base-uri-missing'],
  },
  {
    name: 'hosts without base-uri',
    evidence: policy(`script-src 'self'; ${rest.replace("base-uri 'none'; ", '')}`),
    broken: ['csp-base-uri-missing-with-hosts'],
  },
  {
    name: 'no form-action',
    evidence: policy(`script-src 'self'; ${rest.replace("form-action 'none'; ", '')}`),
    broken: ['csp-form-action-missing'],
  },
  {
    name: 'a misspelt directive',
    evidence: scripts("'self'; scirpt-src 'none'"),
    broken: ['csp-directive-unknown'],
  },
  { name: 'a keyword without quotes', evidence: scripts('self'), broken: ['csp-keyword-unquoted'] },
  {
    name: 'a source that is none',
    evidence: scripts("'self' https://a.test/?q"),
    broken: ['csp-source-invalid'],
  },
  {
    name: 'bytes beyond ASCII drop a directive',
    evidence: scripts("'self'; img-src b\u00fccher.test"),
    broken: ['csp-non-ascii', 'header-malformed'],
  },
  {
    name: 'a control character drops the directive, as Chromium does',
    evidence: scripts("'self'; img-src 'self'\u007f; font-src \u0001a.test; media-src 'self'\u000b"),
    broken: ['csp-non-ascii', 'header-malformed'],
  },
  {
    name: 'a form feed is a space',
    evidence: scripts("'self'\f; img-src\f'self'"),
    broken: ['header-malformed'],
    holds: ['csp-non-ascii'],
  },
  {
    name: 'no semicolon before the next directive, whose words then count for the first',
    evidence: policy(`default-src 'self' script-src 'self' 'unsafe-inline' * object-src 'none'; ${rest}`),
    broken: ['csp-semicolon-missing'],
    notApplicable: ['csp-script-unsafe-inline', 'csp-script-wildcard'],
    holds: ['csp-none-combined'],
    score: 85,
  },
  {
    name: 'what stands before the missing semicolon counts as it is',
    evidence: policy(`script-src 'unsafe-inline' img-src 'self'; ${rest}`),
    broken: ['csp-semicolon-missing', 'csp-script-unsafe-inline'],
    score: 85,
  },
  {
    name: 'no semicolon behind a directive without values',
    evidence: scripts("'self'; upgrade-insecure-requests font-src 'self'"),
    broken: ['csp-semicolon-missing'],
  },
  {
    name: 'a host that is named like a directive',
    evidence: scripts("script-src.test 'self'; img-src sandbox"),
    broken: [],
    holds: ['csp-semicolon-missing'],
  },
  { name: 'none beside another source', evidence: scripts("'none' 'self'"), broken: ['csp-none-combined'] },
  {
    name: 'of two equal directives the first counts',
    evidence: scripts("'self'; script-src 'unsafe-inline'"),
    broken: ['csp-directive-duplicate'],
    holds: ['csp-script-unsafe-inline'],
  },
  {
    name: 'an obsolete directive',
    evidence: scripts("'self'; block-all-mixed-content"),
    broken: [],
    info: ['csp-directive-deprecated'],
  },
  {
    name: 'frame-ancestors in a meta element does nothing',
    evidence: see({
      headers: [...bare, ['X-Frame-Options', 'DENY']],
      elements: [metaCsp(`script-src 'self'; ${rest}`)],
    }),
    broken: ['csp-meta-ignored-directive'],
    holds: ['csp-missing', 'csp-meta-not-in-head', 'csp-meta-late'],
  },
  {
    name: 'a policy in the body is ignored',
    evidence: see({
      headers: [...bare, ['X-Frame-Options', 'DENY']],
      elements: [metaCsp("default-src 'self'", 'body')],
    }),
    broken: ['csp-missing', 'csp-meta-not-in-head'],
    score: 85,
  },
  {
    name: 'a script before the policy is not held',
    evidence: see({ headers: baseline, elements: [script({ src: '/a.js' }), metaCsp("default-src 'self'")] }),
    broken: ['csp-meta-late'],
    holds: ['csp-meta-ignored-directive'],
  },
  {
    name: 'reports to nowhere',
    evidence: scripts("'self'; report-to csp"),
    broken: ['csp-report-endpoint-undefined'],
  },
  {
    name: 'an endpoint in clear text is skipped',
    evidence: baselineWith({
      [name]: `script-src 'self'; ${rest}; report-to csp`,
      'Reporting-Endpoints': 'csp="http://site.test/r"',
      'Report-To': '{"group":"csp","max_age":1,"endpoints":[{"url":"http://site.test/r"}]}',
    }),
    broken: ['csp-report-endpoint-undefined'],
  },
  {
    name: 'an endpoint of the own machine is not',
    evidence: baselineWith({
      [name]: `script-src 'self'; ${rest}; report-to csp`,
      'Reporting-Endpoints': 'csp="http://localhost/r"',
    }),
    broken: [],
    holds: ['csp-report-endpoint-undefined'],
  },
  {
    name: 'reports to a defined endpoint',
    evidence: baselineWith({
      [name]: `script-src 'self'; ${rest}; report-to csp`,
      'Reporting-Endpoints': 'csp="https://site.test/r"',
    }),
    broken: [],
    holds: ['csp-report-endpoint-undefined', 'csp-report-uri-only'],
  },
  {
    name: 'report-uri alone',
    evidence: scripts("'self'; report-uri /r"),
    broken: [],
    info: ['csp-report-uri-only'],
  },
  {
    name: 'a sandbox that can be left',
    evidence: scripts("'self'; sandbox allow-scripts allow-same-origin"),
    broken: ['csp-sandbox-escape'],
  },
  {
    name: 'a sandbox without scripts needs no script-src',
    evidence: policy(`sandbox; ${rest}`),
    broken: [],
    holds: ['csp-script-unrestricted'],
  },
  {
    name: 'an address as a source',
    evidence: scripts("'self' https://192.0.2.1"),
    broken: ['csp-ip-source'],
  },
  {
    name: 'a policy above 8 KiB',
    evidence: scripts(
      `'self' ${Array.from({ length: 500 }, (_, at) => `https://host-${at}.test`).join(' ')}`,
    ),
    broken: ['csp-too-large', 'headers-large'],
  },
  {
    name: 'no Trusted Types',
    evidence: policy(`script-src 'self'; ${rest.replace("; require-trusted-types-for 'script'", '')}`),
    broken: [],
    info: ['trusted-types-missing'],
  },
  {
    name: 'a JSON answer needs no policy for pages',
    evidence: see({
      url: 'https://site.test/v1',
      headers: [
        ['Content-Type', 'application/json'],
        ...baseline.filter(([field]) => field !== 'Content-Type' && field !== name),
      ],
      elements: null,
    }),
    broken: [],
    notApplicable: [
      'csp-missing',
      'framing-open',
      'referrer-policy-missing',
      'permissions-policy-missing',
      'sri-missing',
    ],
    score: 100,
  },
  {
    name: 'names of Object.prototype in a policy do no harm',
    evidence: scripts("'self'; __proto__ x; constructor y; toString z"),
    broken: ['csp-directive-unknown'],
  },
  {
    name: 'a missing Content-Type is guessed at, so page rules apply',
    evidence: see({ headers: bare.filter(([field]) => field !== html[0]) }),
    broken: ['csp-missing', 'framing-open', 'content-type-missing'],
  },
];
