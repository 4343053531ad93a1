import { expect, test } from 'vitest';
import {
  isAntiForgeryCookie,
  isSessionCookie,
} from '../../../worker/checks/security-header-check/facts/session-cookie.ts';
import { findKnownCookie } from '../../../worker/web/known-cookies.ts';

const what = (name: string) =>
  findKnownCookie(name)?.kind ??
  (isSessionCookie({ name, value: 'x' }) ? 'session' : isAntiForgeryCookie({ name }) ? 'anti-forgery' : '');

test.for([
  [
    'bot',
    '__cf_bm _cfuvid cf_clearance cf_ob_info incap_ses_123_456 visid_incap_9 datadome _pxhd ak_bmsc bm_sz',
  ],
  ['bot', '_abck akavpau_vp aws-waf-token __stripe_sid __stripe_mid'],
  ['routing', 'AWSALB AWSALBCORS AWSALBTG AWSALBAPP-0 TS01abcdef BIGipServerpool GAESA ARRAffinity'],
  ['analytics', '_ga _ga_ABC123 _hjSessionUser_12 ai_session ai_user s_sess s_cc MUID'],
  ['consent', 'OptanonConsent didomi_token consent_token euconsent-v2'],
  ['preference', 'NID GN_PREF'],
  ['experiment', 'optimizelyEndUserId optimizelySession'],
  [
    'anti-forgery',
    'csrftoken XSRF-TOKEN _csrf __RequestVerificationToken .AspNetCore.Antiforgery.w5W7x28NAIs',
  ],
  ['anti-forgery', '__Host-next-auth.csrf-token'],
  [
    'session',
    'PHPSESSID connect.sid JSESSIONID sessionid laravel_session _gh_sess ASP.NET_SessionId ci_session',
  ],
  [
    'session',
    '__Secure-next-auth.session-token wordpress_logged_in_abc SSESS0123456789abcdef0123456789abcdef',
  ],
  ['', 'theme lang assessment_banner _dd_s device_id wordpress_test_cookie sessions_left_count2x'],
] as const)('%s: %s', ([kind, names]) => {
  const found = names.split(' ').map((name) => [name, what(name)]);
  expect(found).toEqual(names.split(' ').map((name) => [name, kind]));
});
