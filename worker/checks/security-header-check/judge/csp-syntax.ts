import { brokenBy, type Evidence, type Verdict, type Verdicts } from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import type { PageFacts } from '../facts/page.ts';
import {
  directiveOf,
  findSwallowed,
  headerOnlyDirectives,
  isNone,
  type PolicyFacts,
} from '../facts/policies.ts';
import {
  deprecatedDirectives,
  isKnownDirective,
  sourceListDirectives,
  suggestDirective,
} from '../grammar/csp-directives.ts';
import { looksUnquoted, parseCspSource } from '../grammar/csp-source.ts';
import type { CspDirective } from '../grammar/csp.ts';
import { parseReportingEndpoints, parseReportTo } from '../grammar/reporting-endpoints.ts';
import type { CspCode } from './csp-scripts.ts';
import { cut } from './verdict-tables.ts';

/** Longer policies fill a whole header section of common servers. */
const largePolicyBytes = 8192;

/** Judges spelling and grammar of all policies of the page. */
export function judgeSyntax(page: PageFacts) {
  const each = (find: (seen: PolicyFacts) => readonly Evidence[]) =>
    brokenBy(
      page.policies.flatMap((seen) => find(seen).map((found) => ({ ...placeOf(page, seen), ...found }))),
    );
  const eachDirective = (find: (directive: CspDirective) => readonly Evidence[]) =>
    each(({ policy }) => [...policy.directives.values()].flatMap(find));
  const sources = page.policies.map((seen) => ({ seen, ...judgeSources(seen) }));
  const fromSources = (pick: (found: SourceFaults) => readonly Evidence[]) =>
    brokenBy(
      sources.flatMap((found) => pick(found).map((fault) => ({ ...placeOf(page, found.seen), ...fault }))),
    );
  return {
    'csp-directive-unknown': judgeUnknown(page),
    'csp-directive-deprecated': eachDirective(({ name, offset }) =>
      deprecatedDirectives.has(name) ? [{ directive: name, offset }] : [],
    ),
    'csp-directive-duplicate': each(({ policy }) =>
      policy.duplicates.map(({ name, offset, values }) => ({
        directive: name,
        offset,
        value: cut(values.map(({ text }) => text).join(' ')),
      })),
    ),
    'csp-semicolon-missing': eachDirective((directive) => {
      const swallowed = findSwallowed(directive);
      if (!swallowed) return [];
      return [{ directive: cut(directive.name), swallowed: swallowed.text, offset: swallowed.offset }];
    }),
    'csp-keyword-unquoted': fromSources(({ unquoted }) => unquoted),
    'csp-source-invalid': fromSources(({ invalid }) => invalid),
    'csp-ip-source': fromSources(({ addresses }) => addresses),
    'csp-none-combined': fromSources(({ combined }) => combined),
    'csp-non-ascii': each(({ policy }) =>
      policy.unreadable.map(({ text, offset }) => ({ offset, value: cut(text) })),
    ),
    'csp-sandbox-escape': each(findSandboxEscape),
    'csp-too-large': each(({ policy }) =>
      policy.text.length > largePolicyBytes ? [{ bytes: policy.text.length }] : [],
    ),
    'csp-report-endpoint-undefined': each(findUndefinedEndpoint(page)),
    'csp-report-uri-only': each((seen) =>
      directiveOf(seen, 'report-uri') && !directiveOf(seen, 'report-to') ? [{ directive: 'report-uri' }] : [],
    ),
    'csp-meta-ignored-directive': each(findIgnoredInMeta),
  } satisfies Partial<Verdicts<CspCode>>;
}

function placeOf({ index, hop }: PageFacts, { from, disposition }: PolicyFacts): Evidence {
  const header = disposition === 'report' ? 'content-security-policy-report-only' : 'content-security-policy';
  return { hop: index, url: hop.url, header: from === 'meta' ? 'meta' : header };
}

/** A report shows no more; a misspelt name is compared with every known one, which a hostile policy could make costly. */
const unknownLimit = 50;

function judgeUnknown(page: PageFacts): Verdict {
  const unknown = page.policies.flatMap((seen) =>
    [...seen.policy.directives.values()]
      .filter(({ name }) => !isKnownDirective(name))
      .map(({ name, offset }) => ({ seen, name, offset })),
  );
  return brokenBy(
    unknown.slice(0, unknownLimit).map(({ seen, name, offset }) => {
      const suggested = suggestDirective(name);
      const suggestion = suggested === undefined ? '' : ` (perhaps ${suggested})`;
      return { ...placeOf(page, seen), directive: cut(name), offset, suggestion };
    }),
  );
}

type SourceFaults = {
  readonly unquoted: readonly Evidence[];
  readonly invalid: readonly Evidence[];
  readonly addresses: readonly Evidence[];
  readonly combined: readonly Evidence[];
};

function judgeSources({ policy }: PolicyFacts): SourceFaults {
  const faults = {
    unquoted: [] as Evidence[],
    invalid: [] as Evidence[],
    addresses: [] as Evidence[],
    combined: [] as Evidence[],
  };
  for (const directive of policy.directives.values()) {
    if (!sourceListDirectives.has(directive.name)) continue;
    const swallowed = findSwallowed(directive)?.offset ?? Number.POSITIVE_INFINITY;
    for (const { text, offset } of directive.values) {
      if (offset >= swallowed) break;
      const source = parseCspSource(text);
      const seen = { directive: directive.name, source: cut(text), offset };
      if (looksUnquoted(text)) faults.unquoted.push(seen);
      else if (isAddressSource(text)) faults.addresses.push(seen);
      else if (source.kind === 'invalid') faults.invalid.push({ ...seen, reason: source.reason });
      else if (isNone(source) && directive.values.length > 1)
        faults.combined.push({ ...seen, count: directive.values.length - 1 });
    }
  }
  return faults;
}

// Of addresses browsers match 127.0.0.1 alone (CSP3, "host-part match").
function isAddressSource(text: string): boolean {
  const host = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  if (host.startsWith('[')) return true;
  const [labels = ''] = host.split(/[:/]/, 1);
  return /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(labels) && labels !== '127.0.0.1';
}

function findSandboxEscape(seen: PolicyFacts): Evidence[] {
  const flags = directiveOf(seen, 'sandbox')?.values.map(({ text }) => text.toLowerCase()) ?? [];
  return flags.includes('allow-scripts') && flags.includes('allow-same-origin')
    ? [{ directive: 'sandbox' }]
    : [];
}

function findUndefinedEndpoint({ fields, url }: PageFacts): (seen: PolicyFacts) => Evidence[] {
  const defined = new Set([
    ...parseReportingEndpoints(valuesOf(fields, 'reporting-endpoints'), url),
    ...parseReportTo(valuesOf(fields, 'report-to'), url),
  ]);
  return (seen) => {
    const endpoint = directiveOf(seen, 'report-to')?.values[0]?.text;
    return endpoint === undefined || defined.has(endpoint)
      ? []
      : [{ directive: 'report-to', endpoint: cut(endpoint) }];
  };
}

function findIgnoredInMeta({ from, policy }: PolicyFacts): Evidence[] {
  if (from !== 'meta') return [];
  return [...policy.directives.values()]
    .filter(({ name }) => headerOnlyDirectives.has(name))
    .map(({ name, offset }) => ({ directive: name, offset }));
}
