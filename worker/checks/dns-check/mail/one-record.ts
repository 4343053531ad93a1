import { codesOf, type Fix, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';

/** How records of one kind are taken apart, and put together so that nothing of several changes is lost. */
export type Joining = {
  /** Whether a fix's record is of this kind. */
  readonly isOurs: (record: NonNullable<Fix['record']>) => boolean;
  /** Codes whose fix the owner decides on, as it changes what becomes of mail. */
  readonly choices: readonly string[];
  /**
   * The one record that has all the changes.
   * @param values at least two, different ones
   * @returns undefined where nobody but the owner can say what is left
   */
  readonly join: (name: string, values: readonly string[]) => string | undefined;
};

/**
 * The same verdicts, with one record for each name: where several findings offer records for one, which would undo each other, each offers the one
 * that has all their changes. What the owner has to decide on keeps its words, and offers no record then.
 */
export function withOneRecord<Code extends string>(
  verdicts: Verdicts<Code>,
  { isOurs, choices, join }: Joining,
): Verdicts<Code> {
  const offers = codesOf(verdicts).flatMap((code) => {
    const verdict = verdicts[code];
    const record = isBroken(verdict) ? verdict.fix?.record : undefined;
    return record && isOurs(record) ? [{ code, record }] : [];
  });
  const changed = [...Map.groupBy(offers, ({ record }) => record.name)].flatMap(([name, own]) => {
    if (new Set(own.map(({ record }) => record.value)).size < 2) return [];
    const mechanical = own.filter(({ code }) => !choices.includes(code));
    const values = [...new Set(mechanical.map(({ record }) => record.value))];
    const value = values.length > 1 ? join(name, values) : values[0];
    return own.map(({ code }) => {
      const verdict = withRecord(verdicts[code], choices.includes(code) ? undefined : value);
      return [code, verdict] as const;
    });
  });
  return changed.length === 0
    ? verdicts
    : { ...verdicts, ...(Object.fromEntries(changed) as Verdicts<Code>) };
}

function withRecord(verdict: Verdict, value: string | undefined): Verdict {
  if (!isBroken(verdict) || !verdict.fix?.record) return verdict;
  const { record, ...words } = verdict.fix;
  return { ...verdict, fix: value === undefined ? words : { ...words, record: { ...record, value } } };
}
