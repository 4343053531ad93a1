import { codesOf, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import { aliasOf } from '../../dns/observation.ts';
import { readAnswer } from '../../dns/read-answer.ts';
import type { DnsCheckEvidence } from './gather.ts';

/** Names that are an alias, by what either half has seen, with what they lead to. */
export function aliasesIn({ dns, mail }: DnsCheckEvidence): ReadonlyMap<string, string> {
  const answers = [...Object.values(dns.apex), dns.www.A, dns.www.AAAA];
  const steps = answers.flatMap((answer) => readAnswer(answer).aliases);
  const seen = mail.sights.flatMap((observation) => {
    const target = aliasOf(observation);
    return target === null ? [] : [{ name: observation.name, target }];
  });
  return new Map([...seen, ...steps].map(({ name, target }) => [name, target]));
}

/** The same verdicts, but no fix gives a record to publish at a name that is an alias: no other record may stand beside a CNAME (RFC 2181 §10.1). */
export function withoutRecordsBesideAliases<Code extends string>(
  verdicts: Verdicts<Code>,
  aliases: ReadonlyMap<string, string>,
): Verdicts<Code> {
  const changed = codesOf(verdicts).map((code) => [code, withoutRecord(verdicts[code], aliases)] as const);
  return Object.fromEntries(changed) as Verdicts<Code>;
}

function withoutRecord(verdict: Verdict, aliases: ReadonlyMap<string, string>): Verdict {
  if (!isBroken(verdict) || !verdict.fix?.record) return verdict;
  const { name } = verdict.fix.record;
  const target = aliases.get(name);
  if (target === undefined) return verdict;
  const text = `${name} is an alias (CNAME) for ${target}, and no other record can stand beside an alias. Add what is missing at ${target} if it is yours, or replace the alias by records of its own first.`;
  return { ...verdict, fix: { text } };
}
