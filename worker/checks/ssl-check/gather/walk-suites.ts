import { suites } from '../grammar/suites.ts';
import { oldGroupIds, type VersionName } from '../grammar/tls-names.ts';
import { type HelloAnswer, isCutOff } from './ask-hello.ts';
import type { GroupWalk } from './group-walk.ts';
import type { SuiteAsking, SuiteLedger } from './suite-ledger.ts';

type AskedVersion = Exclude<VersionName, 'SSLv2' | 'TLSv1.3'>;

/** Asks for the suites of a list, each time without those that are known, until the server refuses. */
export async function walkSuites(
  asking: SuiteAsking,
  ids: readonly number[],
  groups?: GroupWalk,
): Promise<void> {
  let found: number | null = 0;
  while (found !== null) found = await askFor(asking, ids, groups);
}

/** One hello with what is left of a list. @returns the suite that was found; null where nothing was left, or nothing was accepted */
export async function askFor(
  asking: SuiteAsking,
  ids: readonly number[],
  walk?: GroupWalk,
): Promise<number | null> {
  const { asker, ledger } = asking;
  const offered = ledger.left(ids);
  if (offered.length === 0) return null;
  const isForGroups = walk?.isOpen() === true;
  const groups = isForGroups ? walk.offered() : oldGroupIds;
  const answer = await asker.ask({ version: versionOf(ledger), suites: offered, groups });
  if (isForGroups && answer.kind === 'accepted') walk.note(answer);
  // With some of the groups alone a refusal may be due to them: suites on curves stay open, and so do the groups.
  const settled = isForGroups && answer.kind !== 'accepted' ? offered.filter(isWithoutCurve) : offered;
  if (settled.length > 0) ledger.note(settled, answer);
  return answer.kind === 'accepted' && offered.includes(answer.suite) ? answer.suite : null;
}

function isWithoutCurve(id: number): boolean {
  return suites.get(id)?.keyExchange !== 'ECDHE';
}

function versionOf({ version }: SuiteLedger): AskedVersion {
  return version === 'SSLv2' || version === 'TLSv1.3' ? 'TLSv1.2' : version;
}

/** An answer that is the same for every part of what was offered. */
export function isTold(answer: HelloAnswer): boolean {
  return answer.kind !== 'accepted' && !isCutOff(answer);
}
