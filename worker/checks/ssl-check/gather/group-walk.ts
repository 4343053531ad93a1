import type { GroupsObservation, HelloAccepted, QuestionEnd } from '../evidence.ts';
import { suites } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import type { HelloAnswer } from './ask-hello.ts';
import type { SuiteAsking } from './suite-ledger.ts';

/** Learns the groups of a server without TLS 1.3 beside its suites: each hello leaves out the groups that are known. */
export type GroupWalk = {
  /** What the next hello offers; all groups once every one was named or refused. */
  readonly offered: (ahead?: number) => readonly number[];
  /** Whether something is left to learn. @param ahead how many groups will be named meanwhile */
  readonly isOpen: (ahead?: number) => boolean;
  readonly note: (answer: HelloAnswer) => void;
  /** These are known by other answers. */
  readonly leaveOut: (ids: readonly number[]) => void;
  /** null where no answer named one and none was refused. */
  readonly seen: () => GroupsObservation | null;
};

/** Those that servers of today may have; older ones are offered beside them. */
const wanted = [0x001d, 0x0017, 0x0018, 0x0019, 0x001e];

const notHeeded: QuestionEnd = { kind: 'stopped', reason: 'the server chose what was not offered' };

/** Opens the walk of one run. */
export function openGroupWalk(): GroupWalk {
  const named = new Set<number>();
  const known = new Set<number>();
  let end: QuestionEnd | null = null;
  const left = () => wanted.filter((id) => !named.has(id) && !known.has(id));
  return {
    offered: (ahead = 0) => (end === null && left().length > ahead ? left().slice(ahead) : oldGroupIds),
    isOpen: (ahead = 0) => end === null && left().length > ahead,
    note(answer) {
      if (answer.kind !== 'accepted') end ??= answer;
      // Such a server does not heed what is left out.
      else if (answer.notOffered?.what === 'group') end ??= notHeeded;
      else if (answer.group !== null) named.add(answer.group);
    },
    leaveOut(ids) {
      for (const id of ids) known.add(id);
    },
    seen: () =>
      named.size === 0 && end === null ? null : { accepted: [...named], end: end ?? { kind: 'exhausted' } },
  };
}

/** Asks for the groups that are left, by suites on curves that are known to be accepted. */
export async function walkGroups({ asker, ledger }: SuiteAsking, walk: GroupWalk): Promise<void> {
  const curves = ledger.accepted().filter(isOnCurve);
  for (const one of curves) if (one.group !== null) walk.note(one);
  const ids = curves.map(({ suite }) => suite);
  while (ids.length > 0 && walk.isOpen()) {
    const groups = walk.offered();
    const answer = await asker.ask({ version: 'TLSv1.2', suites: ids, groups });
    const isNew = answer.kind !== 'accepted' || groups.includes(answer.group ?? -1);
    walk.note(isNew ? answer : notHeeded);
  }
}

function isOnCurve({ suite }: HelloAccepted): boolean {
  return suites.get(suite)?.keyExchange === 'ECDHE';
}
