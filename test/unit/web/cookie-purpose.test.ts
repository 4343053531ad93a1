import { expect, test } from 'vitest';
import { type CookiePurpose, readCookiePurpose } from '../../../worker/web/cookie-purpose.ts';
import { maskSetCookie } from '../../../worker/web/mask-cookie.ts';
import { parseSetCookie, type SetCookie } from '../../../worker/web/set-cookie.ts';

const uuid = '4f8a6a1c-5b1e-4c6f-9c6e-0d6a3d1f2b3c';
const hex = '059aeb3e932fc8d6bbc80d71b0d82515';
const token = 'kZ3vQ2w8Jt5mBq7sTg1Yx0Rd4Hn6Lp9C';
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl';

type Row = readonly [answer: string, pairs: string];

/** Names of real cookies, with values made up in the form of theirs: what each is for. */
const rows: readonly Row[] = [
  // Who has one of these is logged in.
  [
    'session',
    `PHPSESSID=vq1o0h7k2l3m4n5p6q7r8s9t0u JSESSIONID=${hex} JSESSIONID=${hex}.node1 connect.sid=s%3A${token}.${token} sid=${token}`,
  ],
  [
    'session',
    `sessionid=${token} laravel_session=eyJpdiI6IjEyMzQ1Njc4OTAifQ%3D%3D _gh_sess=${token}--${hex} ASP.NET_SessionId=lkq3m4n5o6p7q8r9 ci_session=${hex}`,
  ],
  [
    'session',
    `__Secure-next-auth.session-token=${jwt} wordpress_logged_in_${hex}=admin%7C1700000000%7C${token} SSESS${hex}=${token} SESS${hex}=${token} __session=${jwt}`,
  ],
  [
    'session',
    `_session_id=${hex} auth_token=${token} access_token=${jwt} refresh_token=${token} id_token=${jwt}`,
  ],
  [
    'session',
    `.ASPXAUTH=${hex}${hex} ASPSESSIONIDQCRTBABC=${token} CFID=${token} CFTOKEN=${hex} remember_user_token=${token}`,
  ],
  [
    'session',
    `rememberMe=${token} _rails_session=${token} django_sessionid=${token} user_session=${token} __Host-user_session_same_site=${token}`,
  ],
  [
    'session',
    `fe_typo_user=${hex} xf_user=12%2C${token} ESTSAUTH=${token} li_at=${token} LtpaToken2=${token}${token} iPlanetDirectoryPro=${token} PrestaShop-${hex}=${token}`,
  ],
  ['session', `JSESSIONIDSSO=${hex} SSID=${token} SID=${token} __Secure-3PSID=${token} auth=${jwt}`],
  ['session', `appsession=${token} mysession=${hex} unisess=${token} usersess=${hex} sso_token=${token}`],
  ['session', `data=${jwt} state_of_mind=${jwt} li_at_jwt=${jwt} jwt=${jwt} bearer=${token}`],
  [
    'session',
    `express.sid=s%3A${token} koa.sess=${token} koa:sess=${token} flask_session=${jwt} sails.sid=s%3A${token}`,
  ],
  [
    'session',
    `idp_session=sVERSION_1${uuid} _pinterest_sess=${token} pm_sess=${token} logged_in_user=${token} symfony_session=${hex}`,
  ],
  [
    'session',
    `session=${token} site_auth_token=${token} edge_session_token=${token} session_id=${uuid} sess_id=${hex} login_token=${token} authToken=${token}`,
  ],
  // They guard forms.
  [
    'anti-forgery',
    `csrftoken=${hex} XSRF-TOKEN=${token} _csrf=${token} __RequestVerificationToken=${token} .AspNetCore.Antiforgery.w5W7x28NAIs=${token}`,
  ],
  [
    'anti-forgery',
    `__Host-next-auth.csrf-token=${hex}%7C${hex} csrf=t=${token} _csrf_token=${token} csrf_session_id=${token} xsrf_token=${uuid}`,
  ],
  [
    'anti-forgery',
    `JSESSIONID="ajax:1234567890123456789" JSESSIONID=ajax:1234567890123456789 _xsrf=2|${hex} CSRF-TOKEN=${token} X-CSRF-Token=${token}`,
  ],
  // What stands before the site sets them.
  ['bot', `__cf_bm=${token} _cfuvid=${token} cf_clearance=${token} __cfruid=${hex} cf_ob_info=502`],
  [
    'bot',
    `incap_ses_123_456=${token} visid_incap_9=${token} nlbi_9=${token} reese84=${token} datadome=${token}`,
  ],
  ['bot', `_pxhd=${token} _px3=${token} pxcts=${uuid} _pxvid=${uuid} aws-waf-token=${token}`],
  ['bot', `ak_bmsc=${token} bm_sz=${token} bm_sv=${token} _abck=${token} akavpau_vp=${token}`],
  [
    'bot',
    `__stripe_sid=${uuid} __stripe_mid=${uuid} KP_UIDz=${token} _vcrcs=${token} site_token_cdn=${token}`,
  ],
  [
    'bot',
    `cdn_token=${token} edge_token=${token} waf_token=${token} bot_challenge_token=${token} site_token=${token}`,
  ],
  ['routing', `AWSALB=${token} AWSALBCORS=${token} AWSALBTG=${token} AWSALBAPP-0=${token} AWSELB=${token}`],
  [
    'routing',
    `TS01abcdef=${hex} BIGipServerpool=1897078026.20992.0000 GAESA=${token} ARRAffinity=${hex} ARRAffinitySameSite=${hex}`,
  ],
  ['routing', `SERVERID=web1 ROUTEID=.1 heroku-session-affinity=${token} GCLB=${token} NSC_abc=${hex}`],
  [
    'routing',
    `CloudFront-Policy=${token} CloudFront-Signature=${token} CloudFront-Key-Pair-Id=APKAEXAMPLE hdntl=exp=1 hdnts=exp=1`,
  ],
  // They count.
  ['analytics', `_ga=GA1.2.1234567890.1700000000 _ga_ABC123=GS1.1.1 _gid=GA1.2.1 __utma=1.2.3 _gat=1`],
  [
    'analytics',
    `_hjSessionUser_12=${token} _hjSession_12=${token} ai_session=${token} ai_user=${token} s_sess=%20s_cc`,
  ],
  [
    'analytics',
    `server_session_id=${uuid} SESSION_TRACKING_COOKIE=${uuid} session_tracker=${uuid} sessionTracking=${uuid} analytics_session_id=${uuid}`,
  ],
  [
    'analytics',
    `visitor_session=${uuid} utm_session=google tracking_sid=${uuid} ajs_anonymous_id=${uuid} amplitude_id=${token}`,
  ],
  [
    'analytics',
    `_pk_id.1.abcd=${hex} _pk_ses.1.abcd=1 mp_abc_mixpanel=${token} TealeafAkaSid=${token} dtCookie=${token}`,
  ],
  ['analytics', `MUID=${hex} _clck=${token} _clsk=${token} s_vi=${hex} s_fid=${hex}`],
  [
    'analytics',
    `rum_session=${uuid} attribution_session_id=${uuid} heatmap_sid=${uuid} replay_session=${uuid} visit_session_id=${uuid}`,
  ],
  [
    'analytics',
    `tracking_id=${uuid} visitor=vid=${uuid} campaign=spring stats_uid=${token} traffic=${token}`,
  ],
  ['advertising', `IDE=${token} _fbp=fb.1.1 fr=${token} _gcl_au=1.1 __gads=ID=1`],
  ['advertising', `hubspotutk=${hex} __hstc=1.2 bcookie=v=2 lidc=b=1 _pin_unauth=${token}`],
  // They remember a choice.
  [
    'consent',
    `OptanonConsent=isGpcEnabled=0 didomi_token=${token} consent_token=${token} euconsent-v2=${token} CookieConsent=true`,
  ],
  ['consent', `cookie_consent=1 gdpr=1 privacy_session=${uuid} usprivacy=1YNN consent_session_id=${uuid}`],
  [
    'experiment',
    `optimizelyEndUserId=oeu1 optimizelySession=1 ab=default ab_test=control experiment_session=${uuid}`,
  ],
  ['experiment', `variant=b bucket=17 session_experiment_id=${uuid} _vwo_uuid=${hex} feature_flags=a`],
  [
    'analytics',
    `sbjs_session=pgs%3D1 intercom-session-abc=${token} anonymous_session=${uuid} guest_token=${token}`,
  ],
  ['preference', `session_expired=0 auth_redirect=%2Fhome login_redirect=%2Fhome return_to_after_login=%2F`],
  ['preference', `NID=518=${token} AEC=${token} country=US region=ccpa edition-view=espn-en-us`],
  ['preference', `bf-geo-country=US intl_locale=en_US lang=en_US device=desktop theme=dark`],
  [
    'preference',
    `connectionspeed=full market=en-US currency=EUR timezone=Europe%2FBerlin last_visit=2026-11-22`,
  ],
  [
    'preference',
    `session_start=1700000000 session_expires=1700000000 login_banner_seen=1 session_timeout=1800 session_count=3`,
  ],
  [
    'preference',
    `nuk_customer_country_code=US detected_bandwidth=LOW viewport=1280 screen=1280x720 wordpress_test_cookie=WP%20Cookie%20check`,
  ],
  // Nobody has said what they are for.
  ['unknown', `logged_in=no _auth=0 is_logged_in=false loggedIn=0 login=no`],
  ['unknown', `session= PHPSESSID= sid= auth_token= JSESSIONID=`],
  ['unknown', `assessment_banner2x=1 possess=1 _dd_s=1 sapphire=1 GS_GROUP=2`],
  [
    'unknown',
    `device_id=${uuid} user.uuid.v2=${uuid} __dcfduid=${hex} cookie_storage_key=${uuid} pathway=${uuid}`,
  ],
];

const parsed = rows.flatMap(([kind, pairs]) =>
  pairs.split(' ').map((pair): readonly [kind: string, pair: string] => [kind, pair]),
);
const read = (line: string): CookiePurpose => readCookiePurpose(parseSetCookie(line) as SetCookie);

test('the table has some two hundred cookies', () => {
  expect(parsed.length).toBeGreaterThanOrEqual(200);
});

test('each cookie is what it is', () => {
  const wrong = parsed.filter(([kind, pair]) => read(pair).kind !== kind);
  expect(wrong.map(([kind, pair]) => `${pair}: ${read(pair).kind}, not ${kind}`)).toEqual([]);
});

test('a masked value gives the same answer as the value', () => {
  const wrong = parsed.filter(
    ([, pair]) => JSON.stringify(read(maskSetCookie(pair))) !== JSON.stringify(read(pair)),
  );
  expect(wrong.map(([, pair]) => pair)).toEqual([]);
});

test('a session identifies a person, and nothing else does', () => {
  const wrong = parsed.filter(([kind, pair]) => (read(pair).identifies === 'login') !== (kind === 'session'));
  expect(wrong.map(([, pair]) => pair)).toEqual([]);
});

test.for([
  [`user.uuid.v2=${uuid}`, 'visitor'],
  [`csrftoken=${hex}`, 'visitor'],
  ['_ga=GA1.2.1234567890.1700000000', 'visitor'],
  ['country=US', 'nobody'],
  ['device=desktop', 'nobody'],
  [`ab_test=${'x'.repeat(100)}`, 'nobody'],
  ['LAST_NEWS=1730426535', 'nobody'],
  ['GS_GROUP=2', 'nobody'],
] as const)('%s identifies %s', ([pair, identifies]) => {
  expect(read(pair).identifies).toBe(identifies);
});

test('what stands before the site is not the site’s own', () => {
  const others = parsed.filter(([, pair]) => !read(pair).isOwn).map(([kind]) => kind);
  expect(new Set(others)).toEqual(new Set(['bot', 'routing']));
});

test('ten thousand cookies with long names are read quickly', () => {
  const before = process.threadCpuUsage();
  for (let at = 0; at < 10_000; at += 1)
    readCookiePurpose({ name: `${'aB-'.repeat(60)}${at}`, value: token });
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(3000);
});
