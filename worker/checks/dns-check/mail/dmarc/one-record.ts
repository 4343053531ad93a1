import { codesOf, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import { parseTagList } from '../text/tag-list.ts';
import { type Dmarc, printDmarc } from './parse-dmarc.ts';

type Tags = ReadonlyMap<string, string>;

/**
 * The same verdicts, with one record for each name: where several findings offer records for one name, which would undo each other, each offers
 * the one that has all their changes. Where two change one tag, the first of the table counts.
 * @param dmarc the record that applies
 */
export function withOneRecord<Code extends string>(verdicts: Verdicts<Code>, dmarc: Dmarc): Verdicts<Code> {
  const offered = codesOf(verdicts).flatMap((code) => {
    const verdict = verdicts[code];
    const record = isBroken(verdict) ? verdict.fix?.record : undefined;
    return record?.value.startsWith('v=DMARC1;') && record.name.startsWith('_dmarc.') ? [record] : [];
  });
  const base = tagsOf(dmarc.tags);
  const joined = new Map(
    [...Map.groupBy(offered, ({ name }) => name)].flatMap(([name, records]) => {
      const values = new Set(records.map(({ value }) => value));
      return values.size < 2 ? [] : [[name, joinRecords(base, [...values])] as const];
    }),
  );
  if (joined.size === 0) return verdicts;
  const changed = codesOf(verdicts).map((code) => [code, withRecord(verdicts[code], joined)] as const);
  return Object.fromEntries(changed) as Verdicts<Code>;
}

function withRecord(verdict: Verdict, joined: ReadonlyMap<string, string>): Verdict {
  if (!isBroken(verdict) || !verdict.fix?.record) return verdict;
  const value = joined.get(verdict.fix.record.name);
  return value === undefined
    ? verdict
    : { ...verdict, fix: { ...verdict.fix, record: { ...verdict.fix.record, value } } };
}

function joinRecords(base: Tags, values: readonly string[]): string {
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
