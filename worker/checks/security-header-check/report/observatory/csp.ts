import type { OutcomeOf } from './chart.ts';
import { type ObservatoryCsp, parseLikeObservatory } from './csp-parser.ts';
import type { ObservatoryView } from './view.ts';

type CspOutcome = OutcomeOf<'content-security-policy'>;

const broad: ReadonlySet<string> = new Set([
  'ftp:',
  'http:',
  'https:',
  '*',
  'http://*',
  'http://*.*',
  'https://*',
  'https://*.*',
]);
const broadOrInline = broad.union(new Set(["'unsafe-inline'", 'data:']));
const secrets = ["'sha256-", "'sha384-", "'sha512-", "'nonce-"];
const passive = ['img-src', 'media-src'] as const;

/** The Observatory's verdict on Content-Security-Policy, and whether it saw frame-ancestors, which its framing test asks. */
export function testCsp({ graded, metas, start }: ObservatoryView): {
  readonly outcome: CspOutcome;
  readonly hasAncestors: boolean;
} {
  const header = graded.headers.fields.get('content-security-policy');
  const headers = header === undefined ? [] : splitAtCommas([header]);
  const equivalents = splitAtCommas(metas.csp);
  const csp = parseLikeObservatory([...headers, ...equivalents]);
  if (!csp) return { outcome: 'csp-header-invalid', hasAncestors: false };
  if (countDirectives(headers, equivalents, csp) === 0) {
    const reports = Boolean(graded.headers.fields.get('content-security-policy-report-only'));
    return {
      outcome: reports ? 'csp-not-implemented-but-reporting-enabled' : 'csp-not-implemented',
      hasAncestors: false,
    };
  }
  return {
    outcome: judge(csp, start.protocol === 'https:'),
    hasAncestors: csp.directives.has('frame-ancestors'),
  };
}

function splitAtCommas(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',').map((policy) => policy.trim()));
}

// Headers and metas are counted apart: a meta element with nothing but frame-ancestors counts as none.
function countDirectives(
  headers: readonly string[],
  equivalents: readonly string[],
  csp: ObservatoryCsp,
): number {
  if (equivalents.length === 0) return csp.directives.size;
  const meta = parseLikeObservatory(equivalents)?.directives;
  const ignored = ['frame-ancestors', 'report-uri', 'sandbox'].filter((name) => meta?.has(name)).length;
  return (parseLikeObservatory(headers)?.directives.size ?? 0) + (meta?.size ?? 0) - ignored;
}

type Lists = {
  readonly script: ReadonlySet<string>;
  readonly style: ReadonlySet<string>;
  readonly object: ReadonlySet<string>;
  readonly active: readonly string[];
  readonly passive: readonly string[];
};

function judge(csp: ObservatoryCsp, isHttps: boolean): CspOutcome {
  const lists = readLists(csp);
  if (!lists) return 'csp-header-invalid';
  const { script, style, object, active, passive: loads } = lists;
  const isClear = isHttps ? isClearText : () => false;
  // The first fault in this order is the result.
  const faults: readonly (readonly [isThere: boolean, outcome: CspOutcome])[] = [
    [!script.isDisjointFrom(broadOrInline), 'csp-implemented-with-unsafe-inline'],
    [!object.isDisjointFrom(broad), 'csp-implemented-with-unsafe-inline'],
    [active.some(isClear), 'csp-implemented-with-insecure-scheme'],
    [script.union(style).has("'unsafe-eval'"), 'csp-implemented-with-unsafe-eval'],
    [csp.repeats, 'csp-implemented-but-duplicate-directives'],
    [loads.some(isClear), 'csp-implemented-with-insecure-scheme-in-passive-content-only'],
    [!style.isDisjointFrom(broadOrInline), 'csp-implemented-with-unsafe-inline-in-style-src-only'],
    [isOnlyNone(csp.directives.get('default-src')), 'csp-implemented-with-no-unsafe-default-src-none'],
  ];
  return faults.find(([isThere]) => isThere)?.[1] ?? 'csp-implemented-with-no-unsafe';
}

function isOnlyNone(sources: ReadonlySet<string> | undefined): boolean {
  return sources?.size === 1 && sources.has("'none'");
}

// undefined where 'strict-dynamic' stands without nonce or hash. The sets are shared on purpose: what is taken out of
// default-src as the script list is then gone from the style list and from default-src too.
function readLists({ directives }: ObservatoryCsp): Lists | undefined {
  const list = (name: string) => directives.get(name) ?? directives.get('default-src') ?? new Set(['*']);
  const [script, style, object] = [list('script-src'), list('style-src'), list('object-src')];
  for (const sources of [script, style]) if (hasSecret(sources)) sources.delete("'unsafe-inline'");
  if (script.has("'strict-dynamic'")) {
    if (!hasSecret(script)) return undefined;
    dropIgnored(script);
  }
  const active = [...directives].filter(
    ([name]) => name !== 'script-src' && !passive.some((each) => each === name),
  );
  const loads = passive.flatMap((name) => [...(directives.get(name) ?? directives.get('default-src') ?? [])]);
  return {
    script,
    style,
    object,
    active: [...active.flatMap(([, sources]) => [...sources]), ...script],
    passive: loads,
  };
}

function hasSecret(sources: ReadonlySet<string>): boolean {
  return [...sources].some((source) => secrets.some((start) => source.startsWith(start)));
}

// Everything that begins like a broad source goes, also a plain https://host.
function dropIgnored(sources: Set<string>): void {
  const starts = [...broad];
  for (const source of sources)
    if (
      source === "'self'" ||
      source === "'unsafe-inline'" ||
      starts.some((start) => source.startsWith(start))
    )
      sources.delete(source);
}

function isClearText(source: string): boolean {
  return source.startsWith('http:') || source.startsWith('ftp:');
}
