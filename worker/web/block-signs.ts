import { barePageSigns } from './bare-page-signs.ts';
import { any, type BlockSign, likely, refusals, sign } from './block-sign.ts';
import { productSigns } from './product-signs.ts';

/** The day when signs of this file and of `product-signs.ts` were last compared with real answers. */
export const blockSignsSeenOn = '2026-11-23';

/**
 * Signs of who answers instead of a site, the surest first: the first that fits names the vendor.
 * Sources are the vendors' own documentation and the answers of well-known sites, seen in 2024 and 2026.
 * Markup counts only where it stands on block pages alone: Cloudflare, Imperva and DataDome put scripts into normal pages too.
 */
export const blockSigns: readonly BlockSign[] = [
  // developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response
  sign('cloudflare-mitigated', 'Cloudflare', 'challenge', { field: ['cf-mitigated', /challenge/i] }),
  sign('cloudflare-challenge-markup', 'Cloudflare', 'challenge', {
    body: /window\._cf_chl_opt\b|\/cdn-cgi\/challenge-platform\/h\/\w\/orchestrate\/|class="cf-browser-verification/,
  }),
  sign('cloudflare-block-markup', 'Cloudflare', 'denial', {
    status: refusals,
    body: /<title>Attention Required! \| Cloudflare<|used Cloudflare to restrict access<|\bcf-error-details\b|^error code: 1\d{3}/,
  }),
  // developers.cloudflare.com/waiting-room/reference/waiting-room-cookie
  sign('cloudflare-waiting-room', 'Cloudflare', 'rate-limit', {
    cookie: /^__cfwaitingroom$/,
    body: /<title>Waiting Room powered by Cloudflare</,
  }),
  // docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge.html: 202 for a challenge, 405 for a CAPTCHA
  sign('aws-waf-action', 'AWS WAF', 'challenge', { field: ['x-amzn-waf-action', any] }),
  sign('aws-waf-markup', 'AWS WAF', 'challenge', {
    status: [202, 403, 405],
    body: /window\.(?:gokuProps|awsWafCookieDomainList)\b/,
  }),
  // docs.datadome.co: a challenge answers with x-dd-b and a page that loads captcha-delivery.com
  sign('datadome-refusal', 'DataDome', 'challenge', { status: refusals, field: ['x-dd-b', any] }),
  sign('datadome-server', 'DataDome', 'challenge', {
    status: refusals,
    field: ['server', /^DataDome$/i],
  }),
  sign('datadome-field', 'DataDome', 'challenge', { status: refusals, field: ['x-datadome', any] }),
  sign('datadome-markup', 'DataDome', 'challenge', {
    body: /(?:geo|ct|c)\.captcha-delivery\.com|\bvar dd=\{['"]rt['"]:/,
  }),
  // docs.humansecurity.com: the block page holds an element px-captcha
  sign('human-markup', 'HUMAN (PerimeterX)', 'challenge', {
    body: /id=["']?px-captcha|captcha\.px-c(?:dn|loud)\.net/,
  }),
  // The script stands in normal pages too; the JSON answers those who ask for no page.
  sign('human-block-markup', 'HUMAN (PerimeterX)', 'challenge', {
    status: [403, 429],
    body: /\b_pxAppId\b|"appId":"PX\w{1,40}","jsClientSrc":/,
  }),
  sign('human-cookie', 'HUMAN (PerimeterX)', 'challenge', {
    status: [403, 429],
    cookie: /^_px(?:hd|vid|3)$/,
  }),
  // docs.imperva.com: the incident ID stands on block pages only; a short page of one script is its challenge, with 200
  sign('imperva-incident', 'Imperva', 'denial', {
    phrase: /Incapsula incident ID|_Incapsula_Resource\?[^"'>]{0,400}incident_id=/i,
  }),
  sign('imperva-challenge', 'Imperva', 'challenge', { body: /^[^]{0,1500}_Incapsula_Resource[^]{0,600}$/ }),
  sign('imperva-interruption', 'Imperva', 'challenge', { body: /<title>Pardon Our Interruption</i }),
  sign('imperva-refusal', 'Imperva', 'denial', { status: refusals, field: ['x-iinfo', any] }),
  // vercel.com/docs/vercel-firewall/attack-challenge-mode
  sign('vercel-denial', 'Vercel', 'denial', { field: ['x-vercel-mitigated', /^deny/i] }),
  sign('vercel-mitigated', 'Vercel', 'challenge', { field: ['x-vercel-mitigated', any] }),
  sign('vercel-markup', 'Vercel', 'challenge', {
    status: [403, 429],
    body: /<title>Vercel Security Checkpoint</,
  }),
  // my.f5.com K000134995 and the default blocking page of BIG-IP ASM, which answers with 200
  sign('f5-rejection', 'F5 BIG-IP', 'denial', {
    phrase: /The requested URL was rejected\. Please consult with your administrator/,
  }),
  sign('f5-challenge', 'F5 BIG-IP', 'challenge', {
    body: /window\["bobcmn"\]|Please enable JavaScript to view the page content\.\s?(?:<br\s?\/?>)?\s?Your support ID is/,
  }),
  // techdocs.akamai.com/cloud-security/docs/challenge-actions: an interstitial that reloads itself, and a proof of work with 428
  sign('akamai-challenge', 'Akamai', 'challenge', {
    body: /triggerInterstitialChallenge|[?&]bm-verify=|id="sec-if-cpt-container"/,
  }),
  sign('akamai-markup', 'Akamai', 'denial', {
    status: refusals,
    body: /errors\.edgesuite\.net|Reference&#32;&#35;/,
  }),
  sign('sucuri', 'Sucuri', 'denial', { field: ['x-sucuri-block', any] }),
  sign('sucuri-challenge', 'Sucuri', 'challenge', { body: /\bsucuri_cloudproxy_js\b/ }),
  // siteground.com: the answer has status 202, and sends the visitor on by a refresh
  sign('siteground-captcha', 'SiteGround', 'challenge', { field: ['sg-captcha', /^challenge/i] }),
  sign('siteground-markup', 'SiteGround', 'challenge', { body: /content="0;\s?\/\.well-known\/sgcaptcha\// }),
  sign('wordfence', 'Wordfence', 'denial', { status: refusals, body: /Generated by Wordfence at/ }),
  sign('aliyun', 'Alibaba Cloud', 'denial', { status: [403, 405], body: /errors\.aliyun\.com\// }),
  sign('amazon-captcha', 'Amazon', 'challenge', { body: /action="\/errors\/validateCaptcha"/ }),
  sign('linkedin', 'LinkedIn', 'denial', { status: [999], body: /\/authwall\b/ }),
  sign('linkedin-field', 'LinkedIn', 'denial', { status: [999], field: ['x-li-pop', any] }),
  sign('kasada', 'Kasada', 'challenge', { status: [403, 429], field: ['x-kpsdk-ct', any] }),
  sign('anubis', 'Anubis', 'challenge', {
    body: /id="anubis_challenge"|\/\.within\.website\/x\/cmd\/anubis/,
  }),
  sign('google-sorry', 'Google', 'challenge', {
    status: [403, 429],
    body: /unusual traffic from your computer network/,
  }),
  sign('edgio-acl', 'Edgio', 'denial', { status: refusals, field: ['x-ec-acl', any] }),
  sign('ddos-guard', 'DDoS-Guard', 'challenge', { status: refusals, field: ['server', /^ddos-guard$/i] }),
  ...productSigns,
  // What a delivery network refuses may be its own doing or the site's.
  likely('cloudflare-refusal', 'Cloudflare', { field: ['server', /^cloudflare/i] }),
  likely('akamai-refusal', 'Akamai', { field: ['server', /^AkamaiGHost$/i] }),
  likely('aws-elb-refusal', 'AWS WAF', { field: ['server', /^awselb\//i] }),
  likely('cloudfront-refusal', 'Amazon CloudFront', {
    field: ['x-cache', /^(?:Error|LambdaGeneratedResponse) from cloudfront/i],
  }),
  likely('fastly-refusal', 'Fastly', { field: ['x-served-by', /^cache-/] }),
  likely('datadome-cookie', 'DataDome', { cookie: /^datadome$/ }),
  likely('imperva-cdn', 'Imperva', { field: ['x-cdn', /^(?:Imperva|Incapsula)$/i] }),
  likely('imperva-cookie', 'Imperva', { cookie: /^(?:visid_incap|incap_ses)_/ }),
  likely('sucuri-refusal', 'Sucuri', { field: ['x-sucuri-id', any] }),
  likely('aws-gateway-refusal', 'Amazon API Gateway', {
    field: ['x-amzn-errortype', /^(?:Forbidden|AccessDenied)Exception/],
  }),
  likely('azure-gateway-refusal', 'Azure Application Gateway', {
    field: ['server', /^Microsoft-Azure-Application-Gateway/i],
  }),
  likely('azure-refusal', 'Azure Front Door', { field: ['x-azure-ref', any] }),
  likely('f5-refusal', 'F5 BIG-IP', { cookie: /^TS[0-9a-f]{6,}$/ }),
  sign('asks-for-password', null, 'login', { status: [401], field: ['www-authenticate', any] }),
  sign('network-login', null, 'captive-portal', { status: [511] }),
  sign('legal-refusal', null, 'legal', { status: [451] }),
  sign('too-many-requests', null, 'rate-limit', { status: [429] }),
  {
    id: 'maintenance',
    vendor: null,
    kind: 'maintenance',
    certainty: 'certain',
    status: [503],
    field: ['retry-after', any],
  },
  // A short page that says nothing else: documents about maintenance are longer.
  {
    id: 'maintenance-page',
    vendor: null,
    kind: 'maintenance',
    certainty: 'likely',
    body: /^(?=[^]{0,20000}$)[^]{0,5000}?<title>(?:[^<|:]{1,60}[|:] )?(?:(?:site|website|we are|we're|currently|is|temporarily) ){0,4}(?:under|down for|in|undergoing) (?:scheduled )?maintenance(?: mode)?[.!]?(?: [|:-] [^<]{1,60})?<\/title>/i,
  },
  ...barePageSigns,
  { id: 'unavailable', vendor: null, kind: 'maintenance', certainty: 'likely', status: [503] },
  {
    id: 'refusal',
    vendor: null,
    kind: 'denial',
    certainty: 'likely',
    status: [401, 403, 405, 406, 407, 412, 418, 999],
  },
  // learn.microsoft.com (Internet Information Services, "Login Time-out")
  { id: 'login-timeout', vendor: null, kind: 'login', certainty: 'likely', status: [440] },
  // developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors: its own pages, for a site that it cannot reach
  sign('cloudflare-origin-error', 'Cloudflare', 'maintenance', {
    status: range(520, 530),
    field: ['server', /^cloudflare/i],
  }),
];

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
