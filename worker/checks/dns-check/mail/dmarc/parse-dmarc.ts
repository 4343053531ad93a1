import { trimSpaces } from '../../../../mail/ascii.ts';
import { clip, type SyntaxFault, type Faulty } from '../../../../mail/fault.ts';
import { beginsWithVersion, findRepeated, parseTagList, type Tag } from '../text/tag-list.ts';
import { parseReportUris, type ReportUri } from './parse-report-uris.ts';

export const policies = ['none', 'quarantine', 'reject'] as const;
export type Policy = (typeof policies)[number];

/** A DMARC policy record (RFC 9989 §4.7 and §4.8). */
export type Dmarc = {
  readonly text: string;
  readonly tags: readonly Tag[];
  /** As published; undefined where the tag is absent, null where its value is not one of the three. */
  readonly p: Policy | null | undefined;
  readonly sp: Policy | null | undefined;
  readonly np: Policy | null | undefined;
  readonly psd: 'y' | 'n' | 'u';
  readonly isTesting: boolean;
  readonly rua: readonly ReportUri[];
  readonly ruf: readonly ReportUri[];
  readonly fo: string | null;
  /** Any makes the whole list void (RFC 6376 §3.2). */
  readonly repeated: readonly { readonly first: Tag; readonly second: Tag }[];
  readonly unknown: readonly Tag[];
  readonly historic: readonly { readonly tag: string; readonly why: string }[];
  /** What receivers skip, in the order of the text. */
  readonly faults: readonly SyntaxFault[];
  /** A blank or tab stands before v=DMARC1: the grammar has none there (RFC 9989 §4.8), and receivers differ. */
  readonly isIndented: boolean;
};

/** True for a TXT record that receivers take for DMARC: v=DMARC1 comes first. Blanks before it are let pass, as verifiers do. */
export function isDmarc(text: string): boolean {
  return beginsWithVersion(trimSpaces(text).text, 'DMARC1');
}

/**
 * Reads a policy record; faults behind the version are reported and skipped, as receivers must (RFC 9989 §4.8).
 * @param text the strings of the TXT record joined without a space
 */
export function parseDmarc(text: string): Dmarc | Faulty {
  if (!isDmarc(text))
    return { faults: [{ at: 0, term: clip(text, 20), problem: 'a record begins with v=DMARC1' }] };
  const list = parseTagList(text);
  const tags = list.tags.slice(1);
  // One fault a value is enough.
  const faulty = new Set(list.faults.map(({ term }) => term));
  const sound = tags.filter(({ name }) => !faulty.has(name));
  const last = new Map(tags.map((tag) => [tag.name, tag]));
  const choose = <T extends string>(name: string, values: readonly T[], otherwise: T): T =>
    values.find((value) => value === last.get(name)?.value.toLowerCase()) ?? otherwise;
  return {
    text,
    tags: list.tags,
    p: readPolicy(last.get('p')),
    sp: readPolicy(last.get('sp')),
    np: readPolicy(last.get('np')),
    psd: choose('psd', ['y', 'n', 'u'], 'u'),
    isTesting: choose('t', ['y', 'n'], 'n') === 'y',
    rua: readUris(last.get('rua')),
    ruf: readUris(last.get('ruf')),
    fo: last.get('fo')?.value ?? null,
    repeated: findRepeated(list.tags),
    unknown: tags.filter(({ name }) => !known.has(name) && !historicTags.has(name)),
    historic: findHistoric(tags),
    faults: [...list.faults, ...sound.flatMap(findValueFault)].sort((a, b) => a.at - b.at),
    isIndented: trimSpaces(text).skipped > 0,
  };
}

/** Prints tags as a record. */
export function printDmarc(tags: readonly { readonly name: string; readonly value: string }[]): string {
  return tags.map(({ name, value }) => `${name}=${value}`).join('; ');
}

/** What the record asks of receivers (RFC 9989 §4.10.1): the tags as they count, or null where no DMARC is applied. */
export function policiesOf(dmarc: Dmarc): { p: Policy; sp?: Policy; np?: Policy } | null {
  const { p, sp, np } = dmarc;
  if (p && sp !== null && np !== null)
    return { p, ...(sp === undefined ? {} : { sp }), ...(np === undefined ? {} : { np }) };
  return dmarc.rua.some(({ isUri }) => isUri) ? { p: 'none' } : null;
}

function readPolicy(tag: Tag | undefined): Policy | null | undefined {
  return tag && (policies.find((policy) => policy === tag.value.toLowerCase()) ?? null);
}

function readUris(tag: Tag | undefined): ReportUri[] {
  return tag ? parseReportUris(tag.value, tag.valueAt) : [];
}

const historicTags: ReadonlyMap<string, string> = new Map([
  ['pct', 'a policy can no longer apply to a share of the mail; t=y is for tests'],
  ['rf', 'there is only one format of failure reports'],
  ['ri', 'reports come once a day'],
]);

const isChoice = (values: string) => (value: string) => values.split(' ').includes(value.toLowerCase());
const isPolicy = isChoice('none quarantine reject');

/** Values by tag (RFC 9989 §4.8): whether it is one, and what belongs there. */
const known: ReadonlyMap<string, readonly [(value: string) => boolean, string]> = new Map([
  ['v', [() => true, '']],
  ['p', [isPolicy, 'none, quarantine or reject']],
  ['sp', [isPolicy, 'none, quarantine or reject']],
  ['np', [isPolicy, 'none, quarantine or reject']],
  ['adkim', [isChoice('r s'), 'r or s']],
  ['aspf', [isChoice('r s'), 'r or s']],
  ['psd', [isChoice('y n u'), 'y, n or u']],
  ['t', [isChoice('y n'), 'y or n']],
  ['fo', [isFailureOptions, '0 or 1, d and s, each once, with colons between']],
  ['rua', [(value) => value !== '', 'an address']],
  ['ruf', [(value) => value !== '', 'an address']],
]);

function findValueFault({ name, value, valueAt }: Tag): SyntaxFault[] {
  const [isValid, wanted] = known.get(name) ?? [() => true, ''];
  if (isValid(value)) return [];
  return [
    {
      at: valueAt,
      term: name,
      problem: `"${clip(value, 40)}" is not a value of ${name}, which is ${wanted}`,
    },
  ];
}

function isFailureOptions(value: string): boolean {
  const options = value
    .toLowerCase()
    .split(':')
    .map((option) => trimSpaces(option).text);
  const isEach = options.every((option) => ['0', '1', 'd', 's'].includes(option));
  return (
    isEach && new Set(options).size === options.length && !(options.includes('0') && options.includes('1'))
  );
}

function findHistoric(tags: readonly Tag[]): { tag: string; why: string }[] {
  const byName = tags.flatMap(({ name, value }) => {
    const why = historicTags.get(name);
    return why === undefined ? [] : [{ tag: clip(`${name}=${value}`, 40), why }];
  });
  const sizes = tags
    .filter(({ name }) => name === 'rua' || name === 'ruf')
    .flatMap((tag) => parseReportUris(tag.value, tag.valueAt))
    .flatMap(({ size }) => (size === null ? [] : [{ tag: size, why: 'the size of reports is not limited' }]));
  return [...byName, ...sizes];
}
