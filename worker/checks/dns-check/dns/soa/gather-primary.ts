import { ownRecords, readAnswer } from '../../../../dns/read-answer.ts';
import { readAll, readSoa, readText } from '../../../../dns/record-values.ts';
import type { HalfContext } from '../../halves.ts';
import type { HostAnswers } from '../evidence.ts';
import type { SoaInputs } from './inputs.ts';

/** Looks up the primary server that the SOA names, in the round of the name servers' addresses. One that is a name server is looked up there. */
export async function gatherPrimary(
  { ask }: HalfContext,
  { shared, unchecked }: SoaInputs,
): Promise<HostAnswers | undefined> {
  const [soaAnswer, nsAnswer] = await Promise.all([shared.apex.SOA, shared.apex.NS]);
  const again = readAnswer(soaAnswer).state === 'unknown' ? (await unchecked).SOA : undefined;
  const [soa] = readAll(ownRecords(again ?? soaAnswer), readSoa);
  const name = soa?.mname.toLowerCase() ?? '';
  if (name === '' || readAll(ownRecords(nsAnswer), readText).includes(name)) return undefined;
  const how = { checkingDisabled: true } as const;
  const [A, AAAA] = await Promise.all([ask({ name, type: 'A' }, how), ask({ name, type: 'AAAA' }, how)]);
  return { name, A, AAAA };
}
