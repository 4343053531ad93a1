import type {
  Chain,
  CorsObservation,
  PageElement,
  SiteFileObservation,
  HeaderEvidence,
  Hop,
} from '../../../worker/checks/security-header-check/evidence.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { parseRobots, type Robots } from '../../../worker/web/robots.ts';

/** What one row says of its site; everything else is a plain site that does all well on the way to its page. */
export type Site = {
  readonly url?: string;
  readonly headers?: readonly HeaderLine[];
  readonly status?: number;
  readonly elements?: readonly PageElement[] | null;
  readonly base?: string;
  /** Why the page was not read to its end. */
  readonly cut?: string;
  readonly bodySigns?: readonly string[];
  readonly tls?: Hop['tls'];
  readonly https?: Chain;
  readonly http?: Chain;
  readonly cors?: readonly CorsObservation[];
  readonly corsUrl?: string;
  readonly preload?: HeaderEvidence['preload'];
  readonly files?: Partial<FilesOf>;
};

type FilesOf = {
  readonly wellKnown: SiteFileObservation<string>;
  readonly legacy: SiteFileObservation<string>;
  readonly robots: SiteFileObservation<Robots>;
};

export const html: HeaderLine = ['Content-Type', 'text/html; charset=utf-8'];
export const trusted = { trusted: true, error: null } as const;
/** A moment in 2026: what cookies expire against. */
export const seenAtMs = Date.UTC(2026, 10, 21);
export const origin = 'https://0123456789abcdef.invalid';

/** Evidence of a site; its http address redirects to https. */
export function see(site: Site = {}): HeaderEvidence {
  const url = site.url ?? 'https://site.test/';
  const https = site.https ?? readPage(url, site);
  const viaHttp = [redirect(url.replace('https:', 'http:'), url), ...https.hops];
  const plain: Pick<HeaderEvidence, 'http' | 'corsUrl' | 'cors' | 'preload'> = {
    http: { ...chain(viaHttp), document: null },
    corsUrl: url,
    cors: [cors([]), cors([], { origin: 'null' }), cors([], { method: 'OPTIONS' })],
    preload: [[new URL(url).hostname, 'not-listed']],
  };
  const { http, corsUrl, cors: answers, preload } = { ...plain, ...site };
  return { url, seenAtMs, https, http, corsUrl, cors: answers, preload, files: seeFiles(site.files) };
}

function seeFiles({ wellKnown, legacy, robots }: Partial<FilesOf> = {}): NonNullable<
  HeaderEvidence['files']
> {
  return {
    securityTxt: {
      wellKnown: wellKnown ?? textFile(securityTxt),
      legacy: legacy ?? absentFile('/security.txt'),
    },
    robots: robots ?? robotsFile('User-agent: *\nDisallow: /private/'),
  };
}

/** A security.txt with nothing to complain about. */
export const securityTxt = 'Contact: mailto:security@site.test\nExpires: 2027-06-01T00:00:00Z\n';

type Answered = Extract<SiteFileObservation<string>, { kind: 'answered' }>;

/** A text file at the well-known place, as it was sent. */
export function textFile(content: string | null, more: Partial<Answered> = {}): SiteFileObservation<string> {
  return {
    kind: 'answered',
    route: ['https://site.test/.well-known/security.txt'],
    status: 200,
    headers: [['Content-Type', 'text/plain; charset=utf-8']],
    bodySigns: [],
    sizeBytes: content?.length ?? 0,
    cut: null,
    content,
    ...more,
  };
}

/** A file that is not there. */
export function absentFile(path: string): SiteFileObservation<never> {
  return {
    kind: 'answered',
    route: [`https://site.test${path}`],
    status: 404,
    headers: [html],
    bodySigns: [],
    sizeBytes: 9,
    cut: null,
    content: null,
  };
}

/** A robots.txt of this text. */
export function robotsFile(text: string | null, status = 200): SiteFileObservation<Robots> {
  return {
    kind: 'answered',
    route: ['https://site.test/robots.txt'],
    status,
    headers: [['Content-Type', 'text/plain']],
    bodySigns: [],
    sizeBytes: text?.length ?? 0,
    cut: null,
    content: text === null ? null : parseRobots(text),
  };
}

function readPage(url: string, { headers, status, tls, elements, base, cut, bodySigns = [] }: Site): Chain {
  const hop = answer(url, headers ?? [html], { status: status ?? 200, tls: tls ?? trusted });
  const document =
    elements === null ? null : { elements: elements ?? [], base: base ?? null, cut: cut ?? null };
  return { start: url, hops: [hop], end: { kind: 'answered' }, document, bodySigns };
}

/** A page with these headers beside its Content-Type. */
export function page(...headers: readonly HeaderLine[]): HeaderEvidence {
  return see({ headers: [html, ...headers] });
}

export function csp(policy: string): HeaderLine {
  return ['Content-Security-Policy', policy];
}

export function answer(
  url: string,
  headers: readonly HeaderLine[] = [html],
  more: { readonly status?: number; readonly tls?: Hop['tls'] } = {},
): Hop {
  const tls = url.startsWith('https:') ? (more.tls ?? trusted) : null;
  return { url, status: more.status ?? 200, headers, tls };
}

export function redirect(from: string, to: string, ...headers: readonly HeaderLine[]): Hop {
  return answer(from, [['Location', to], ...headers], { status: 301 });
}

export function chain(hops: readonly Hop[], end: Chain['end'] = { kind: 'answered' }): Chain {
  const isPage = end.kind === 'answered' && hops.length > 0;
  return {
    start: hops[0]?.url ?? ('url' in end ? end.url : ''),
    hops,
    end,
    document: isPage ? { elements: [], base: null, cut: null } : null,
  };
}

export function failed(
  url: string,
  code = 'connection-refused',
  reason = 'the connection was refused',
): Chain {
  return { start: url, hops: [], end: { kind: 'failed', url, code, reason }, document: null };
}

export function cors(
  headers: readonly HeaderLine[],
  more: Partial<
    Pick<Extract<CorsObservation, { kind: 'answered' }>, 'origin' | 'method' | 'status' | 'as'>
  > = {},
): CorsObservation {
  return {
    method: more.method ?? 'GET',
    origin: more.origin ?? origin,
    ...(more.as ? { as: more.as } : {}),
    kind: 'answered',
    status: more.status ?? 200,
    headers,
  };
}

/** The same CORS answer to all three questions. */
export function corsAlways(...headers: readonly HeaderLine[]): readonly CorsObservation[] {
  return [cors(headers), cors(headers, { origin: 'null' }), cors(headers, { method: 'OPTIONS' })];
}

export function meta(attributes: Readonly<Record<string, string>>, parent = 'head'): PageElement {
  return { name: 'meta', parent, attributes: Object.entries(attributes) };
}

export function metaCsp(policy: string, parent = 'head'): PageElement {
  return meta({ 'http-equiv': 'Content-Security-Policy', content: policy }, parent);
}

export function script(attributes: Readonly<Record<string, string>> = {}, parent = 'head'): PageElement {
  return { name: 'script', parent, attributes: Object.entries(attributes) };
}

export function link(attributes: Readonly<Record<string, string>>): PageElement {
  return { name: 'link', parent: 'head', attributes: Object.entries(attributes) };
}

/** A site with nothing to complain about. */
export const baseline: readonly HeaderLine[] = [
  html,
  ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains; preload'],
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'nonce-tLFyHmvyl1VgQ2vYk0aUsQ==' 'strict-dynamic'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Set-Cookie', '__Host-session=abc; Path=/; Secure; HttpOnly; SameSite=Lax'],
];

/** The baseline, with these lines in place of those of the same names; null takes a line out. */
export function baselineWith(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
): HeaderEvidence {
  const changed = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = baseline.filter(([name]) => !changed.has(name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]): HeaderLine[] =>
    value === null
      ? []
      : typeof value === 'string'
        ? [[name, value]]
        : value.map((each): HeaderLine => [name, each]),
  );
  return see({ headers: [...kept, ...added] });
}
