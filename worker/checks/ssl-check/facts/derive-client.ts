import type { Choice, GroupsObservation, Preference } from '../evidence.ts';
import type { ClientProfile } from '../grammar/client-profiles.ts';
import { type NotOffered, whyRefused } from '../grammar/not-offered.ts';
import { suites } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { isDecisive } from './decisive.ts';

/** What is known of a server when it is told what a client would get. */
export type KnownServer = {
  /** null where it was not told. */
  readonly protocols: { readonly [V in VersionName]: boolean | null };
  /** That clients can go on with. */
  readonly accepted: { readonly [V in VersionName]: readonly number[] };
  readonly unusable: readonly UnusableAnswer[];
  /** Suites that are known to be accepted or refused. */
  readonly settled: { readonly [V in VersionName]: ReadonlySet<number> };
  readonly choices: readonly Choice[];
  readonly preferences: { readonly [V in VersionName]?: Preference | null };
  readonly groups: GroupsObservation | null;
  /** Those that were chosen before TLS 1.3. */
  readonly oldGroups: readonly number[];
};

/** A suite that the server chose with something that the ClientHello did not offer. */
export type UnusableAnswer = {
  readonly version: VersionName;
  readonly suite: number;
  readonly fault: NotOffered;
};

/** What a client gets from the server. */
export type ClientOutcome = {
  readonly name: string;
  /** null when it is not known. */
  readonly connects: boolean | null;
  readonly protocol: VersionName | null;
  /** null also where it depends on an order that is not known. */
  readonly suite: string | null;
  /** Why it does not connect, or why that is not known; null when it connects. */
  readonly reason: string | null;
};

/** Tells what a client gets, from what others got: only what follows from it. */
export function deriveClient(profile: ClientProfile, known: KnownServer): ClientOutcome {
  const { fail, unknown } = outcomesOf(profile);
  const version = versionNames.findLast(
    (one) => profile.versions.includes(one) && (known.protocols[one] !== false || isAnswered(one, known)),
  );
  if (version === undefined) return fail(null, 'no version in common');
  const fault = findFault(profile, version, known);
  if (fault !== null) return fault.isSure ? fail(version, fault.reason) : unknown(fault.reason);
  return deriveIn(version, profile, known);
}

function outcomesOf({ name }: ClientProfile) {
  return {
    fail: (protocol: VersionName | null, reason: string): ClientOutcome => ({
      name,
      connects: false,
      protocol,
      suite: null,
      reason,
    }),
    unknown: (reason: string): ClientOutcome => ({
      name,
      connects: null,
      protocol: null,
      suite: null,
      reason,
    }),
  };
}

/** Tells the same of the version that the server chooses. */
function deriveIn(version: VersionName, profile: ClientProfile, known: KnownServer): ClientOutcome {
  const { name } = profile;
  const { fail, unknown } = outcomesOf(profile);
  if (known.protocols[version] === null) return unknown(`whether ${version} is offered is not known`);
  const group = judgeGroups(profile, version, known);
  if (version === 'TLSv1.3' && group === 'none') return fail(version, 'no key exchange group in common');
  if (version === 'TLSv1.3' && group === 'unknown') return unknown('not every group could be asked for');
  const offered = usableSuites(profile, version, group);
  const common = offered.filter((id) => known.accepted[version].includes(id));
  if (common.length === 0)
    return offered.every((id) => known.settled[version].has(id))
      ? fail(version, 'no cipher suite in common')
      : unknown('not every suite could be asked for');
  const suite = group === 'unknown' ? null : choose(offered, version, known);
  if (group === 'unknown' && !common.some((id) => !needsGroup(id)))
    return unknown('whether a key exchange group is in common is not known');
  return { name, connects: true, protocol: version, suite: nameOf(suite), reason: null };
}

function isAnswered(version: VersionName, { unusable }: KnownServer): boolean {
  return unusable.some((one) => one.version === version);
}

/** What the server would choose for a client without an offer; null where it would not, as far as is known. */
function findFault(
  { suites: offered }: ClientProfile,
  version: VersionName,
  known: KnownServer,
): { readonly isSure: boolean; readonly reason: string } | null {
  const faults = known.unusable.filter((one) => one.version === version);
  const [first] = faults;
  if (first === undefined) return null;
  if (known.protocols[version] === false) return { isSure: true, reason: whyRefused(first.fault) };
  const own = faults.filter(({ suite }) => offered.includes(suite));
  const [fault] = own;
  if (fault === undefined) return null;
  const faulty = own.map(({ suite }) => suite);
  const accepted = { ...known.accepted, [version]: [...known.accepted[version], ...faulty] };
  const usable = offered.filter((id) => accepted[version].includes(id));
  const chosen = choose(usable, version, { ...known, accepted });
  if (chosen === null) return { isSure: false, reason: 'which suite the server chooses is not known' };
  return faulty.includes(chosen) ? { isSure: true, reason: whyRefused(fault.fault) } : null;
}

function nameOf(suite: number | null): string | null {
  return suite === null ? null : (suites.get(suite)?.name ?? null);
}

/** Of TLS 1.3 in that version; of older ones without suites that need a curve where the client has none. */
function usableSuites(
  { suites: offered }: ClientProfile,
  version: VersionName,
  group: 'common' | 'none' | 'unknown',
): readonly number[] {
  const isOf13 = (id: number) => suites.get(id)?.keyExchange === 'TLS13';
  if (version === 'TLSv1.3') return offered.filter(isOf13);
  return offered.filter((id) => !isOf13(id) && (group !== 'none' || !needsGroup(id)));
}

function needsGroup(id: number): boolean {
  return suites.get(id)?.keyExchange === 'ECDHE';
}

function judgeGroups(
  { groups: offered }: ClientProfile,
  version: VersionName,
  { groups, oldGroups }: KnownServer,
): 'common' | 'none' | 'unknown' {
  if (version !== 'TLSv1.3') {
    if (offered.length === 0) return 'none';
    // Servers have one list of groups for all versions.
    const seen = [...oldGroups, ...(groups?.accepted ?? [])];
    return offered.some((id) => seen.includes(id)) ? 'common' : 'unknown';
  }
  if (groups === null) return 'unknown';
  if (groups.accepted.some((id) => offered.includes(id))) return 'common';
  return groups.accepted.length > 0 && isDecisive(groups.end) ? 'none' : 'unknown';
}

/** The suite that the server chooses; null where that depends on what is not known. */
function choose(offered: readonly number[], version: VersionName, known: KnownServer): number | null {
  const settled = known.settled[version];
  const accepted = known.accepted[version];
  const possible = offered.filter((id) => accepted.includes(id) || !settled.has(id));
  const [first, ...others] = possible;
  if (first === undefined || !accepted.includes(first))
    return others.length === 0 ? null : bestOf(possible, version, known);
  if (others.length === 0 || known.preferences[version] === 'client') return first;
  return bestOf(possible, version, known);
}

/** By the order of the server: the one that was preferred to all others. */
function bestOf(possible: readonly number[], version: VersionName, known: KnownServer): number | null {
  if (known.preferences[version] !== 'server') return null;
  const over = new Map(
    known.choices.filter((one) => one.version === version).map((one) => [one.suite, one.over]),
  );
  return possible.find((id) => isOverAll(id, possible, over)) ?? null;
}

/** Whether a suite comes before all others in an order that is known in part. */
function isOverAll(
  best: number,
  possible: readonly number[],
  over: ReadonlyMap<number, readonly number[]>,
): boolean {
  const below = new Set<number>();
  const add = (id: number) => {
    for (const other of over.get(id) ?? [])
      if (!below.has(other)) {
        below.add(other);
        add(other);
      }
  };
  add(best);
  return possible.every((id) => id === best || below.has(id));
}
