import { type Fields, valuesOf } from '../../../web/fields.ts';
import type { DocumentObservation, PageElement } from '../evidence.ts';
import { isKnownDirective } from '../grammar/csp-directives.ts';
import { type CspSource, parseCspSource } from '../grammar/csp-source.ts';
import { type CspDirective, type CspPolicy, type CspToken, parseCsp, parseCspList } from '../grammar/csp.ts';

/** A policy with where it was met. `ignored` ones stand in a meta element outside the head. */
export type PolicyFacts = {
  readonly policy: CspPolicy;
  readonly from: 'header' | 'meta';
  readonly disposition: 'enforce' | 'report' | 'ignored';
  readonly url: string;
  /** Its parent's name; empty for a header. */
  readonly place: string;
  /** Script elements that come before it, of a meta element. */
  readonly scriptsBefore: number;
  /** The source lists that were read, by directive; filled on first use. */
  readonly lists: Map<string, SourceList>;
};

/** A word of a source list with what it means. */
export type PlacedSource = { readonly text: string; readonly offset: number; readonly source: CspSource };

/** The sources of the directive that governs a load; 'none' and nothing both give an empty list. */
export type SourceList = { readonly directive: string; readonly sources: readonly PlacedSource[] };

/** Directives that a browser skips in a meta element. */
export const headerOnlyDirectives: ReadonlySet<string> = new Set([
  'frame-ancestors',
  'report-uri',
  'sandbox',
]);

/** All policies of an answer: headers first, then meta elements, in the order sent. */
export function readPolicies(
  { url, fields }: { readonly url: URL; readonly fields: Fields },
  document: DocumentObservation | null,
): PolicyFacts[] {
  const fromHeader = (name: string, disposition: 'enforce' | 'report') =>
    valuesOf(fields, name)
      .flatMap(parseCspList)
      .map((policy) =>
        seen(policy, { from: 'header', disposition, url: url.href, place: '', scriptsBefore: 0 }),
      );
  return [
    ...fromHeader('content-security-policy', 'enforce'),
    ...fromHeader('content-security-policy-report-only', 'report'),
    ...readMetaPolicies(document?.elements ?? [], url.href),
  ];
}

/** Those that a browser enforces. */
export function enforcedOf(policies: readonly PolicyFacts[]): PolicyFacts[] {
  return policies.filter(
    ({ disposition, policy }) => disposition === 'enforce' && policy.directives.size > 0,
  );
}

/** True where the page makes browsers ask for https:// wherever it says http:// (Upgrade Insecure Requests). */
export function isUpgraded(policies: readonly PolicyFacts[]): boolean {
  return enforcedOf(policies).some((each) => directiveOf(each, 'upgrade-insecure-requests'));
}

/** A directive that counts: not one that a meta element may not have. */
export function directiveOf({ policy, from }: PolicyFacts, name: string): CspDirective | undefined {
  return from === 'meta' && headerOnlyDirectives.has(name) ? undefined : policy.directives.get(name);
}

/** The list of the first of these directives that the policy has; undefined where it has none and so allows everything. */
export function listOf(seen: PolicyFacts, names: readonly string[]): SourceList | undefined {
  for (const name of names) {
    const directive = directiveOf(seen, name);
    if (directive) return readList(seen, directive);
  }
  return undefined;
}

/** The value of an attribute; undefined where the element has none. */
export function attributeOf({ attributes }: PageElement, name: string): string | undefined {
  return attributes.find(([key]) => key === name)?.[1];
}

function readList({ lists }: PolicyFacts, { name, values }: CspDirective): SourceList {
  const known = lists.get(name);
  if (known) return known;
  const all = values.map(({ text, offset }) => ({ text, offset, source: parseCspSource(text) }));
  const list = { directive: name, sources: all.filter(({ source }) => !isNone(source)) };
  lists.set(name, list);
  return list;
}

/** True for an element that runs or loads a script, and not data blocks such as JSON. */
export function isScript(element: PageElement): boolean {
  if (element.name !== 'script') return false;
  const type = attributeOf(element, 'type')?.trim().toLowerCase() ?? '';
  return (
    type === '' || type === 'module' || /^(?:text|application)\/(?:x-)?(?:java|ecma|j|live)script/.test(type)
  );
}

/** The word of a list that is the name of a directive: the semicolon before it is missing, so browsers read it as a host. */
export function findSwallowed({ values }: CspDirective): CspToken | undefined {
  return values.find(({ text }) => text.includes('-') && isKnownDirective(text.toLowerCase()));
}

/** True for 'none', which counts only when alone, and then means the same as an empty list. */
export function isNone(source: CspSource): boolean {
  return source.kind === 'keyword' && source.keyword === 'none';
}

function readMetaPolicies(elements: readonly PageElement[], url: string): PolicyFacts[] {
  const policies: PolicyFacts[] = [];
  let scriptsBefore = 0;
  for (const element of elements) {
    if (isScript(element)) scriptsBefore += 1;
    const content = readMetaPolicy(element);
    if (content === undefined) continue;
    const disposition = element.parent === 'head' ? 'enforce' : 'ignored';
    const policy = parseCsp(content);
    if (policy.directives.size + policy.unreadable.length > 0)
      policies.push(seen(policy, { from: 'meta', disposition, url, place: element.parent, scriptsBefore }));
  }
  return policies;
}

function readMetaPolicy(element: PageElement): string | undefined {
  if (element.name !== 'meta') return undefined;
  if (attributeOf(element, 'http-equiv')?.toLowerCase() !== 'content-security-policy') return undefined;
  return attributeOf(element, 'content');
}

function seen(policy: CspPolicy, where: Omit<PolicyFacts, 'policy' | 'lists'>): PolicyFacts {
  return { policy, ...where, lists: new Map() };
}
