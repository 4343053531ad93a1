import { foundRecords, ownRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import {
  type Dnskey,
  type Ds,
  type Rrsig,
  readAll,
  readDnskey,
  readDs,
  readRrsig,
} from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsQuestion, DnsRecord } from '../../../../probes/dns/port.ts';
import { type ApexType, apexTypes } from '../../halves.ts';
import type { DnsFacts } from '../facts.ts';
import { mostFrequent } from '../ns/delegation.ts';
import { keyOfDs } from './ds-digest.ts';
import { keyTagOf } from './key-tag.ts';
import { type CheckedSet, faultIn } from './set-faults.ts';
import { type SigningKeys, verifyRrsig } from './verify-rrsig.ts';

/** What is seen of a zone's signing: its keys, the parent's DS, and how each signature at the domain stands. */
export type Signing = {
  readonly keys: readonly Dnskey[];
  readonly ds: readonly MatchedDs[];
  readonly sets: readonly CheckedSet[];
  /** Types whose records came without a signature, on a way that brings none: nothing is known of theirs. */
  readonly unsignedHere: readonly string[];
  /** SOA and keys as each authoritative server gives them, with their signatures, checked by its own keys. */
  readonly servers: readonly ServerSigning[];
  /** True where the keys of any server fit the signatures of all: servers may then have different keys. */
  readonly isOneChain: boolean;
};

export type ServerSigning = {
  readonly server: string;
  readonly ip: string;
  readonly sets: readonly CheckedSet[];
  /** null where it was not asked, or gave no answer. */
  readonly keys: readonly Dnskey[] | null;
};

/** A DS with the key it was made of: null when no key fits, undefined when its digest is not computed here. */
type MatchedDs = { readonly ds: Ds; readonly key: Dnskey | null | undefined };

/** How many signatures and keys are looked at; a zone has some dozen at most (CVE-2023-50387). */
const limits = { signaturesOfSet: 6, keys: 32, ds: 32 } as const;

// The DS set belongs to the parent, who signs it with keys that were not asked for.
const uncheckedTypes: readonly ApexType[] = ['DS'];

/**
 * Checks every signature at the domain by the zone's keys; those over the keys by the keys that the parent vouches for, where it vouches for
 * any. What one server gives is checked by its own keys: two providers may each sign with their own (RFC 8901 §2.1.2).
 */
export function readSigning(facts: DnsFacts): Signing {
  const { domain, apex, answers, evidence } = facts;
  const entered = readAll(foundRecords(apex.DS), readDs).slice(0, limits.ds);
  const given = readGivenKeys(facts, entered);
  const keys = keysOfZone(given);
  const ds = entered.map((one) => ({ ds: one, key: keyOfDs(domain, one, keys) }));
  const vouched = ds.flatMap(({ key }) => key ?? []);
  const types = apexTypes.filter(
    (type) => !uncheckedTypes.includes(type) && ownRecords(answers[type]).length > 0,
  );
  const signing = new Set(
    Object.values(answers).flatMap((answer) => (isSignedIn(answer) ? [answer.server] : [])),
  );
  // A way that strips EDNS from some answers strips what comes with it; who signs nothing may be no DNSSEC resolver at all.
  const told = types.filter(
    (type) => isSignedIn(answers[type]) || (isAskedFor(answers[type]) && signing.has(answers[type].server)),
  );
  const sets = told.map((type): CheckedSet => {
    const signers = type === 'DNSKEY' && vouched.length > 0 ? vouched : keys;
    return { type, signatures: checkSet(answers[type], signers, facts) };
  });
  const known = new Set(facts.authoritative.map(({ ip }) => ip));
  const servers = evidence.servers
    // One that cannot read EDNS was not asked for signatures.
    .filter(({ address, soa }) => known.has(address) && ownRecords(soa).length > 0)
    .map((answers): ServerSigning => {
      const isSoaTold = isSignedIn(answers.soa) || isAskedFor(answers.soa);
      const own = given.servers.find(({ address }) => address === answers.address);
      const signers = own && own.keys.length > 0 ? own.keys : keys;
      const soa: CheckedSet = {
        type: 'SOA',
        signatures: checkSet(answers.soa, signers, facts),
      };
      return {
        server: answers.name,
        ip: answers.address,
        sets: [
          ...(isSoaTold ? [soa] : []),
          ...(own && own.keys.length > 0 ? [{ type: 'DNSKEY' as const, signatures: own.signatures }] : []),
        ],
        keys: own?.keys ?? null,
      };
    });
  return {
    keys,
    ds,
    sets: withoutFaultsOfOne(sets, servers),
    unsignedHere: types.filter((type) => !told.includes(type)),
    servers,
    isOneChain: areOneChain(facts, given),
  };
}

// What one server gives wrong, and others give right, has a rule of its own; the resolver may have met that one.
function withoutFaultsOfOne(
  sets: readonly CheckedSet[],
  servers: readonly ServerSigning[],
): readonly CheckedSet[] {
  const faults = servers.map((server) => server.sets.flatMap((set) => faultIn(set) ?? []));
  if (!faults.some(({ length }) => length === 0)) return sets;
  return sets.filter((set) => !faults.flat().includes(faultIn(set) ?? ''));
}

type GivenKeys = {
  readonly address: string;
  readonly keys: readonly Dnskey[];
  /** Those over its keys, by the keys of its own that the parent vouches for. */
  readonly signatures: CheckedSet['signatures'];
};

type AllGivenKeys = {
  readonly resolved: readonly Dnskey[];
  readonly servers: readonly GivenKeys[];
  readonly hasDs: boolean;
};

// Keys as each server gives them: the resolver's answer is the word of one of them.
function readGivenKeys(facts: DnsFacts, entered: readonly Ds[]): AllGivenKeys {
  const { domain, apex, evidence } = facts;
  const resolved = readAll(foundRecords(apex.DNSKEY), readDnskey).slice(0, limits.keys);
  const given = evidence.servers.flatMap(({ address, dnskey }) =>
    dnskey !== undefined && isHeard(dnskey)
      ? [{ address, dnskey, keys: readAll(ownRecords(dnskey), readDnskey).slice(0, limits.keys) }]
      : [],
  );
  const vouchedIn = (keys: readonly Dnskey[]) => entered.flatMap((ds) => keyOfDs(domain, ds, keys) ?? []);
  // Where the parent vouches for no key anywhere, which is reported by itself, or by a digest that is not computed here, all keys count.
  const isVouched = [resolved, ...given.map(({ keys }) => keys)].some((keys) => vouchedIn(keys).length > 0);
  const servers = given.map(({ address, dnskey, keys }): GivenKeys => {
    const signers = isVouched ? vouchedIn(keys) : keys;
    return { address, keys, signatures: checkSet(dnskey, signers, facts) };
  });
  return { resolved, servers, hasDs: entered.length > 0 };
}

/** All keys that a validator accepts, whichever server it asks: those that the parent vouches for at each of them. */
function keysOfZone({ resolved, servers, hasDs }: AllGivenKeys): readonly Dnskey[] {
  const sets = servers.filter(({ keys }) => keys.length > 0);
  const accepted = hasDs ? sets.filter(({ signatures }) => faultIn({ signatures }) === undefined) : sets;
  const printed = new Set((accepted.length > 0 ? accepted : sets).map(({ keys }) => printSet(keys)));
  // Where all agree the order is the resolver's.
  if (printed.size === 0 || (printed.size === 1 && printed.has(printSet(resolved)))) return resolved;
  const usual = mostFrequent(sets.map(({ keys }) => printSet(keys)));
  const chosen = accepted.length > 0 ? accepted : sets.filter(({ keys }) => printSet(keys) === usual);
  const all = new Map(chosen.flatMap(({ keys }) => keys.map((key) => [JSON.stringify(key), key] as const)));
  return [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, key]) => key)
    .slice(0, limits.keys);
}

/** So many different sets of keys are held against each other: providers are two or three. */
const setLimit = 4;

/** Whether a resolver may take the keys of any server and the data of any other: each set is vouched for, and has the key that signs at each of the others. */
function areOneChain(facts: DnsFacts, { servers }: AllGivenKeys): boolean {
  const { evidence } = facts;
  const sets = new Map(servers.map(({ keys }) => [printSet(keys), keys] as const));
  if (sets.size > setLimit || servers.some(({ signatures }) => faultIn({ signatures }) !== undefined))
    return false;
  return evidence.servers.every(
    ({ address, soa }) =>
      !servers.some((one) => one.address === address) ||
      [...sets.values()].every((keys) => faultIn({ signatures: checkSet(soa, keys, facts) }) === undefined),
  );
}

function printSet(keys: readonly Dnskey[]): string {
  return keys
    .map((key) => JSON.stringify(key))
    .toSorted()
    .join();
}

function isHeard(answer: DnsAnswer): boolean {
  if (answer.kind === 'failure' || !answer.flags.aa || readAnswer(answer).state === 'unknown') return false;
  return ownRecords(answer).length === 0 || isSignedIn(answer) || isAskedFor(answer);
}

function isSignedIn(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.answers.some(({ type }) => type === 'RRSIG');
}

/** Whether the question for signatures arrived: the answer repeats it (RFC 3225 §3). */
export function isAskedFor(answer: DnsAnswer): boolean {
  return answer.kind === 'answer' && answer.edns?.dnssecOk === true;
}

function checkSet(
  answer: DnsAnswer,
  keys: readonly Dnskey[],
  { evidence, known }: Pick<DnsFacts, 'evidence' | 'known'>,
): CheckedSet['signatures'] {
  if (answer.kind === 'failure') return [];
  return checkRecords(answer.answers, answer.question, {
    zone: answer.question.name,
    keys,
    atS: evidence.askedAtS,
    known,
  });
}

/** Whose signatures count, and when. `signaturesOfSet`: so many of one set are looked at; 6 when left out. */
export type Signer = SigningKeys & { readonly signaturesOfSet?: number };

/** Checks the signatures over the records of one name and type in a section of an answer, those of the zone's own keys first. */
export function checkRecords(
  section: readonly DnsRecord[],
  { name, type }: DnsQuestion,
  signer: Signer,
): CheckedSet['signatures'] {
  // Strangers' signatures must not crowd out those of the zone's own keys.
  const tags = new Set(signer.keys.map(keyTagOf));
  const rdatas = recordsAt(section, name, type).flatMap(({ rdata }) => (rdata === undefined ? [] : [rdata]));
  return readAll(recordsAt(section, name, 'RRSIG'), readRrsig)
    .filter(({ typeCovered }) => typeCovered === type)
    .toSorted((a, b) => Number(tags.has(b.keyTag)) - Number(tags.has(a.keyTag)))
    .slice(0, signer.signaturesOfSet ?? limits.signaturesOfSet)
    .map((rrsig) => ({ rrsig, verdict: verifyRrsig({ name, type, rdatas }, rrsig, signer) }));
}

/** The signature that keeps a set alive: of the valid ones that which ends last. */
export function lastingSignature({ signatures }: CheckedSet): Rrsig | undefined {
  const valid = signatures.flatMap(({ rrsig, verdict }) => (verdict === 'valid' ? [rrsig] : []));
  return valid.toSorted((a, b) => b.expiration - a.expiration)[0];
}
