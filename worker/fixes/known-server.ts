import { type Fields, valuesOf } from '../web/fields.ts';
import { cookieNameOf } from '../web/mask-cookie.ts';

type Sign = { readonly field: string; readonly says: RegExp } | { readonly cookie: RegExp };

const anything = /^/;
const server = (says: RegExp): Sign => ({ field: 'server', says });
const sends = (field: string, says = anything): Sign => ({ field, says });

/** What gives a server away, by the name that it has in `webServers`; what stands further out comes first. */
const servers: readonly (readonly [name: string, signs: readonly Sign[]])[] = [
  ['cloudflare', [server(/^cloudflare/i), sends('cf-ray')]],
  ['nginx', [server(/^(?:nginx|openresty|tengine|angie)\b/i)]],
  // LiteSpeed reads the directives of Apache.
  ['apache', [server(/^(?:apache(?![-\w])|litespeed)/i)]],
  ['caddy', [server(/^caddy\b/i)]],
  ['haproxy', [server(/^haproxy\b/i)]],
  [
    'iis',
    [
      server(/^microsoft-iis\b/i),
      sends('x-aspnet-version'),
      sends('x-powered-by', /^asp\.net/i),
      { cookie: /^(?:ASP\.NET_SessionId|ARRAffinity)$/i },
    ],
  ],
  ['express', [sends('x-powered-by', /^express\b/i), { cookie: /^connect\.sid$/ }]],
  ['php', [sends('x-powered-by', /^php\b/i), { cookie: /^PHPSESSID$/ }]],
];

/** A service that answers for a site, and where its owner sets headers and redirects there; null where that cannot be done. */
type Front = {
  readonly name: string;
  readonly signs: readonly Sign[];
  readonly headers: string | null;
  readonly redirects: string | null;
};

// The places are those of the services' own documentation.
const fronts: readonly Front[] = [
  {
    name: 'Cloudflare',
    signs: [server(/^cloudflare/i), sends('cf-ray')],
    headers: 'by Rules > Create rule > Response Header Transform Rule',
    redirects: 'under SSL/TLS > Edge Certificates > Always Use HTTPS',
  },
  {
    name: 'Amazon CloudFront',
    signs: [sends('x-amz-cf-id')],
    headers: 'in a response headers policy of the distribution',
    redirects: 'in the viewer protocol policy of each cache behavior',
  },
  {
    name: 'Azure Front Door',
    signs: [sends('x-azure-ref')],
    headers: 'in a rule set, by the action Modify response header',
    redirects: 'in the settings of the route, by Redirect all traffic to use HTTPS',
  },
  {
    name: 'Akamai',
    signs: [server(/^AkamaiGHost/i), sends('x-akamai-transformed')],
    headers: 'in Property Manager, by the behavior Modify Outgoing Response Header',
    redirects: 'in Property Manager, by the behavior Redirect',
  },
  // It stands behind Fastly; github.com itself writes its name in lower case.
  {
    name: 'GitHub Pages',
    signs: [server(/^GitHub\.com$/)],
    headers: null,
    redirects: 'in the settings of the repository, by Pages > Enforce HTTPS',
  },
  {
    name: 'Fastly',
    signs: [sends('x-served-by', /\bcache-[a-z]{3}/), sends('fastly-restarts')],
    headers: 'in the service’s configuration, as a header of the type Response',
    redirects: 'in the service’s configuration, by Force TLS',
  },
  {
    name: 'Vercel',
    signs: [server(/^Vercel$/i), sends('x-vercel-id')],
    headers: 'under headers in vercel.json',
    redirects: null,
  },
  {
    name: 'Netlify',
    signs: [server(/^Netlify\b/i), sends('x-nf-request-id')],
    headers: 'in the file _headers or under [[headers]] in netlify.toml',
    redirects: null,
  },
];

/** What answers of a site tell of the software that sent them. */
export type KnownServers = {
  /** Names of `webServers`, what stands further out first. */
  readonly names: readonly string[];
  readonly front: Front | undefined;
};

/** Nothing is known of them. */
export const unknownServers: KnownServers = { names: [], front: undefined };

/** Reads which servers an answer came through, by the fields in which they name themselves and by the names of cookies. */
export function readKnownServers(fields: Fields): KnownServers {
  const cookies = valuesOf(fields, 'set-cookie').map((line) => cookieNameOf(line) ?? '');
  const isSeen = (sign: Sign) =>
    'cookie' in sign
      ? cookies.some((name) => sign.cookie.test(name))
      : valuesOf(fields, sign.field).some((value) => sign.says.test(value));
  return {
    names: servers.filter(([, signs]) => signs.some(isSeen)).map(([name]) => name),
    front: fronts.find(({ signs }) => signs.some(isSeen)),
  };
}

/** Where the owner of a site sets headers or redirects at the service in front of it; undefined where none is known. */
export function whereInFront({ front }: KnownServers, what: 'headers' | 'redirects'): string | undefined {
  if (front === undefined) return undefined;
  const place = front[what];
  return place === null
    ? what === 'headers'
      ? `${front.name} answers for this site and lets you set no headers. A proxy or CDN of your own in front of it can.`
      : undefined
    : `${front.name} answers for this site: set it there ${place}, or at your own server behind it.`;
}
