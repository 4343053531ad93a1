import { clip, type SyntaxFault, type Faulty } from '../../../../mail/fault.ts';
import { beginsWithVersion, findRepeated, parseTagList, type Tag } from '../text/tag-list.ts';

/** A BIMI record. Both null: the domain declines to have a logo. */
export type Bimi = { readonly logo: string | null; readonly authority: string | null };

/** True for a TXT record that begins with v=BIMI1. */
export function isBimi(text: string): boolean {
  return beginsWithVersion(text, 'BIMI1');
}

/** Reads "v=BIMI1; l=https://…/logo.svg; a=https://…/mark.pem". */
export function parseBimi(text: string): Bimi | Faulty {
  if (!isBimi(text))
    return { faults: [{ at: 0, term: clip(text, 20), problem: 'a record begins with v=BIMI1' }] };
  const { tags, faults } = parseTagList(text);
  const find = (name: string) => tags.find((tag) => tag.name === name);
  const logo = find('l');
  const authority = find('a');
  const doubled = findRepeated(tags).map(({ second }) => ({
    at: second.at,
    term: second.name,
    problem: 'the tag is in the record more than once',
  }));
  const [first, ...others] = [
    ...faults,
    ...doubled,
    ...findMissing(logo, authority),
    ...findAddressFault(logo),
    ...findAddressFault(authority),
  ].sort((a, b) => a.at - b.at);
  if (first) return { faults: [first, ...others] };
  return { logo: logo?.value || null, authority: authority?.value || null };
}

function findMissing(logo: Tag | undefined, authority: Tag | undefined): SyntaxFault[] {
  return logo || authority
    ? []
    : [{ at: 0, term: '', problem: 'the tag l, the address of the logo, is missing' }];
}

function findAddressFault(tag: Tag | undefined): SyntaxFault[] {
  if (!tag || tag.value === '' || isHttps(tag.value)) return [];
  return [{ at: tag.valueAt, term: tag.name, problem: `"${clip(tag.value, 60)}" is not an https address` }];
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}
