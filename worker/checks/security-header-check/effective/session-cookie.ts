import type { SetCookie } from '../grammar/set-cookie.ts';

// Words that name a login or session when they stand alone in a cookie's name: "sess_id" and "PHPSESSID", not "assessment_banner".
const sessionWords: ReadonlySet<string> = new Set(
  `sess session sessid sessionid sid ssid usid auth authn token accesstoken authtoken idtoken refreshtoken jwt login
  loggedin rememberme remember identity phpsessid jsessionid cfid cftoken aspxauth aspsessionid asp aspnetsessionid`.split(
    /\s+/,
  ),
);
const antiForgeryWords: ReadonlySet<string> = new Set([
  'csrf',
  'xsrf',
  'csrftoken',
  'xsrftoken',
  'antiforgery',
  'requestverificationtoken',
]);

// Load balancers, bot filters and counters set long random values that open no session.
const infrastructure =
  /^(?:awsalb|__cf|_cfuvid|cf_clearance|visid_incap|incap_ses|nlbi_|bigip|ts01|ak_bmsc|_abck|bm_|akaas|datadome|arraffinity|heroku-session-affinity|_ga|_gid|_fbp|_px|route|server|dtcookie|rxvt)/i;

/** True for a cookie that opens a session: by a word of its name, or by a value that is a signed token or long and random. */
export function isSessionCookie({ name, value }: Pick<SetCookie, 'name' | 'value'>): boolean {
  if (infrastructure.test(name) || isAntiForgeryCookie({ name })) return false;
  return hasWord(name, sessionWords) || isJwt(value) || isLongSecret(value);
}

/** True for a cookie that guards forms against forged requests. */
export function isAntiForgeryCookie({ name }: Pick<SetCookie, 'name'>): boolean {
  return hasWord(name, antiForgeryWords);
}

function hasWord(name: string, words: ReadonlySet<string>): boolean {
  const parts = splitName(name.slice(0, 200));
  // Neighbours are tried together too: "access_token", "laravel-session-id", "connect.sid".
  return parts.some((part, at) => words.has(part) || words.has(part + (parts[at + 1] ?? '')));
}

/** "__Host-sessionId" → host, session, id: at signs that are no letters or digits, and before a capital after a small letter. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
}

// header.payload.signature, the first of which is base64 of {"…
function isJwt(value: string): boolean {
  const parts = value.split('.');
  return (
    parts.length === 3 && value.startsWith('eyJ') && parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))
  );
}

// 32 or more signs of one alphabet, both letters and digits, each sign on average rare.
function isLongSecret(value: string): boolean {
  if (value.length < 32 || value.length > 512 || !/^[A-Za-z0-9+/_=-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const isHex = /^[0-9a-f]+$/i.test(value);
  return entropyOf(value) > (isHex ? 3.2 : 4.2);
}

// Shannon entropy in bits a sign.
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}
