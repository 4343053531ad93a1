import { type Evidence, isMalformed } from '#shared/model/verdict';
import type { Caa } from '../../../../dns/record-values.ts';
import { editsBetween } from '../../names.ts';
import { parseCaaIssue } from './parse-caa-issue.ts';

/** IANA "ACME Validation Methods", those that are only reserved included: a CA knows them by these letters alone. */
const methods: readonly string[] = [
  'http-01',
  'dns-01',
  'tls-sni-01',
  'tls-sni-02',
  'tls-alpn-01',
  'email-reply-00',
  'tkauth-01',
  'onion-csr-01',
  'bp-nodeid-00',
  'dns-account-01',
  'dns-persist-01',
];

/** RFC 8657 §4: a CA names its own methods by this prefix. */
const ownPrefix = 'ca-';

const parameterNames: readonly string[] = ['accounturi', 'validationmethods'];

/** What is wrong with the parameters of RFC 8657 in the records that name a CA. */
export type ParameterFaults = {
  /** Values that no CA can satisfy. */
  readonly malformed: readonly Evidence[];
  /** Methods that do not exist, beside one that does. */
  readonly strange: readonly Evidence[];
  /** Records of which no method exists. */
  readonly closed: readonly Evidence[];
  /** Names that are nearly one of the two. */
  readonly misspelt: readonly Evidence[];
};

/** Reads the parameters of every record of these tags; a value that breaks its grammar is reported elsewhere. */
export function findParameterFaults(
  name: string,
  records: readonly Caa[],
  tags: readonly string[],
): ParameterFaults {
  const read = records.flatMap(({ tag, value }) => {
    const issue = parseCaaIssue(value);
    if (!tags.includes(tag.toLowerCase()) || isMalformed(issue) || issue.issuer === null) return [];
    return [{ tag, value, parameters: issue.parameters }];
  });
  const bound = read.flatMap(({ tag, value, parameters }) => {
    const text = parameters.get('validationmethods');
    return text === undefined ? [] : [{ tag, value, ...sortMethods(text) }];
  });
  return {
    malformed: read.flatMap(({ tag, value, parameters }) => {
      const reason = accountFault(parameters.get('accounturi'));
      return reason === undefined ? [] : [{ name, tag, value, reason }];
    }),
    strange: bound.flatMap(({ tag, known, unknown }) =>
      known.length === 0 ? [] : unknown.map((method) => ({ name, tag, method, meant: meantMethod(method) })),
    ),
    closed: bound.flatMap(({ tag, value, known, unknown }) =>
      known.length > 0
        ? []
        : [{ name, tag, value, methods: unknown.join(', ') || 'none at all', meant: meantMethods(unknown) }],
    ),
    misspelt: read.flatMap(({ tag, parameters }) =>
      [...parameters.keys()].flatMap((parameter) => {
        const meant = meantParameter(parameter);
        return meant === undefined ? [] : [{ name, tag, parameter, meant }];
      }),
    ),
  };
}

function accountFault(uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined;
  return URL.canParse(uri) ? undefined : `“${uri}” is not the URI of an account`;
}

function sortMethods(text: string): { known: readonly string[]; unknown: readonly string[] } {
  const all = text.split(',').filter((label) => label !== '');
  const isKnown = (label: string) => methods.includes(label) || label.startsWith(ownPrefix);
  return { known: all.filter(isKnown), unknown: all.filter((label) => !isKnown(label)) };
}

// CAs compare the letters as they are.
function meantMethod(label: string): string {
  const lower = label.toLowerCase().replaceAll('_', '-').slice(0, 40);
  const near = methods.filter((method) => editsBetween(lower, method) <= 2);
  return near[0] === undefined || (near.length > 1 && !near.includes(lower))
    ? ''
    : ` It probably means ${near.includes(lower) ? lower : near[0]}.`;
}

function meantMethods(labels: readonly string[]): string {
  return labels.map(meantMethod).find((text) => text !== '') ?? '';
}

function meantParameter(name: string): string | undefined {
  if (parameterNames.includes(name) || name.length > 40) return undefined;
  return parameterNames.find((known) => editsBetween(name, known) <= 2);
}

/** True for a mail address alone, as CAs want it in contactemail (CA/B Baseline Requirements, appendix A.1.1). */
export function isContactEmail(value: string): boolean {
  return /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/.test(value);
}

/** True for a global number of RFC 3966 §5.1.4: a plus sign, digits, and no space between them. */
export function isContactPhone(value: string): boolean {
  return /^\+[-.()]*\d[-.()\d]*$/.test(value);
}
