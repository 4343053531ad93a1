import { suites } from '../grammar/suites.ts';
import { oldGroupIds, type VersionName } from '../grammar/tls-names.ts';
import { type HelloAnswer, isCutOff, moot } from './ask-hello.ts';
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

/** What is asked in one go: suites, and how many groups are left out that hellos beside this one will name. */
type Step = { readonly offered: readonly number[]; readonly ahead: number };

/**
 * The same for a list of which most is accepted, in few waves: beside the hello with all that is left go those without what it will name, if the server chooses as was guessed.
 * @param ahead how many hellos go beside the first
 */
export async function walkAhead(
  asking: SuiteAsking,
  ids: readonly number[],
  ahead: number,
  groups?: GroupWalk,
): Promise<void> {
  const { ledger } = asking;
  let isMore = true;
  while (isMore) {
    const left = guessOrder(ledger, ledger.left(ids));
    const steps = Array.from({ length: Math.min(ahead + 1, left.length) }, (_, index) => index);
    const found = await Promise.all(
      steps.map((step) => askStep(asking, { offered: left.slice(step), ahead: step }, groups)),
    );
    isMore = found.length > 0 && found[0] !== null;
  }
}

/** By the order of the server as far as it is known: long keys first where it chose one though a short one was offered before. */
function guessOrder(ledger: SuiteLedger, ids: readonly number[]): readonly number[] {
  const [first] = ledger.accepted();
  const bitsOf = (id: number) => (suites.get(id)?.cipher === 'AES' ? (suites.get(id)?.bits ?? 0) : 0);
  return first !== undefined && bitsOf(first.suite) === 256
    ? ids.toSorted((one, other) => bitsOf(other) - bitsOf(one))
    : ids;
}

/** One hello with what is left of a list. @returns the suite that was found; null where nothing was left, or nothing was accepted */
export async function askFor(
  asking: SuiteAsking,
  ids: readonly number[],
  walk?: GroupWalk,
): Promise<number | null> {
  const offered = asking.ledger.left(ids);
  return offered.length === 0 ? null : askStep(asking, { offered, ahead: 0 }, walk);
}

async function askStep(
  { asker, ledger }: SuiteAsking,
  { offered, ahead }: Step,
  walk?: GroupWalk,
): Promise<number | null> {
  const isForGroups = walk?.isOpen(ahead) === true;
  const groups = isForGroups ? walk.offered(ahead) : oldGroupIds;
  const isMoot = () => ledger.left(offered).length === 0;
  const answer = await asker.ask({ version: versionOf(ledger), suites: offered, groups, isMoot });
  if (answer === moot) return null;
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
