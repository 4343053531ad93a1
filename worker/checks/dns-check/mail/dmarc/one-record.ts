import type { DmarcCode } from '#shared/catalogue/dns-check/mail/rules/dmarc';
import type { Verdicts } from '#shared/model/verdict';
import { withOneRecord } from '../one-record.ts';
import { parseTagList } from '../text/tag-list.ts';
import { type Dmarc, printDmarc } from './parse-dmarc.ts';

type Tags = ReadonlyMap<string, string>;

/**
 * The verdicts on a policy, with one record for each name that has all the changes. Where two change one tag, the first of the table counts.
 * @param dmarc the record that applies
 * @param isClosed nothing is sent, so nothing is lost where more is rejected
 */
export function withOneDmarc(
  verdicts: Verdicts<DmarcCode>,
  dmarc: Dmarc,
  isClosed: boolean,
): Verdicts<DmarcCode> {
  return withOneRecord(verdicts, {
    isOurs: ({ name, value }) => value.startsWith('v=DMARC1;') && name.startsWith('_dmarc.'),
    choices: isClosed
      ? []
      : ['dmarc-policy-none', 'dmarc-testing', 'dmarc-subdomain-weaker', 'dmarc-psd-claimed'],
    join: (_, values) => joinTags(tagsOf(dmarc.tags), values),
  });
}

function joinTags(base: Tags, values: readonly string[]): string {
  const [first = base, ...others] = values.map((text) => tagsOf(parseTagList(text).tags));
  const tags = new Map(first);
  for (const other of others) {
    for (const [name, value] of other)
      if (base.get(name) !== value && tags.get(name) === base.get(name)) tags.set(name, value);
    for (const name of base.keys())
      if (!other.has(name) && tags.get(name) === base.get(name)) tags.delete(name);
  }
  return printDmarc([...tags].map(([name, value]) => ({ name, value })));
}

function tagsOf(list: Dmarc['tags']): Tags {
  return new Map(list.map(({ name, value }) => [name, value]));
}
