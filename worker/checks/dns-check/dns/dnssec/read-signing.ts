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
import { type SignatureVerdict, verifyRrsig } from './verify-rrsig.ts';

/** What is seen of a zone's signing: its keys, the parent's DS, and how each signature at the domain stands. */
export type Signing = {
  readonly keys: readonly Dnskey[];
  readonly ds: readonly MatchedDs[];
  readonly sets: readonly CheckedSet[];
  /** SOA and keys as each authoritative server gives them, with their signatures. */
  readonly servers: readonly ServerSigning[];
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

/** The records of one type with their signatures, each checked. */
export type CheckedSet = {
  readonly type: ApexType;
  readonly signatures: readonly { readonly rrsig: Rrsig; readonly verdict: SignatureVerdict }[];
};

/** How many signatures and keys are looked at; a zone has some dozen at most (CVE-2023-50387). */
const limits = { signaturesOfSet: 6, keys: 32, ds: 32 } as const;

// The DS set belongs to the parent, who signs it with keys that were not asked for.
const uncheckedTypes: readonly ApexType[] = ['DS'];

/** Checks every signature at the domain by the zone's own keys; those over the keys by the keys that the parent vouches for, where it vouches for any. */
export function readSigning(facts: DnsFacts): Signing {
  const { domain, apex, answers, evidence } = facts;
  const keys = keysOfZone(facts);
  const ds = readAll(foundRecords(apex.DS), readDs)
    .slice(0, limits.ds)
    .map((one) => ({ ds: one, key: keyOfDs(domain, one, keys) }));
  const vouched = ds.flatMap(({ key }) => key ?? []);
  const sets = apexTypes
    .filter((type) => !uncheckedTypes.includes(type) && ownRecords(answers[type]).length > 0)
    .map((type): CheckedSet => {
      const signers = type === 'DNSKEY' && vouched.length > 0 ? vouched : keys;
      return { type, signatures: checkSet(answers[type], signers, evidence.askedAtS) };
    });
  const known = new Set(facts.authoritative.map(({ ip }) => ip));
  const servers = evidence.servers
    // One that cannot read EDNS was not asked for signatures.
    .filter(({ address, soa }) => known.has(address) && ownRecords(soa).length > 0)
    .map(({ name, address, soa, dnskey }): ServerSigning => {
      const signers = vouched.length > 0 ? vouched : keys;
      const own = dnskey === undefined ? [] : ownRecords(dnskey);
      const ofKeys =
        dnskey === undefined || own.length === 0 ? [] : checkSet(dnskey, signers, evidence.askedAtS);
      return {
        server: name,
        ip: address,
        sets: [
          { type: 'SOA', signatures: checkSet(soa, keys, evidence.askedAtS) },
          ...(own.length === 0 ? [] : [{ type: 'DNSKEY', signatures: ofKeys } as const]),
        ],
        keys: isHeard(dnskey) ? readAll(own, readDnskey).slice(0, limits.keys) : null,
      };
    });
  // Of one server that lacks the signatures, and that has a rule of its own, the resolver's answers lack them too.
  const seen = isMixed(servers) ? sets.filter(({ signatures }) => signatures.length > 0) : sets;
  return { keys, ds, sets: seen, servers };
}

// Some servers sign, others do not.
function isMixed(servers: readonly ServerSigning[]): boolean {
  const ofSoa = servers.flatMap(({ sets }) => sets.filter(({ type }) => type === 'SOA'));
  const isSigned = ofSoa.some(({ signatures }) => signatures.some(({ verdict }) => verdict === 'valid'));
  return isSigned && ofSoa.some(({ signatures }) => signatures.length === 0);
}

// The resolver may have met the one server without keys: then those that most servers have count.
function keysOfZone({ apex, evidence }: DnsFacts): readonly Dnskey[] {
  const resolved = readAll(foundRecords(apex.DNSKEY), readDnskey).slice(0, limits.keys);
  if (resolved.length > 0) return resolved;
  const sets = evidence.servers.flatMap(({ dnskey }) => {
    const own = dnskey === undefined ? [] : readAll(ownRecords(dnskey), readDnskey);
    return own.length === 0 ? [] : [own.slice(0, limits.keys)];
  });
  const usual = mostFrequent(sets.map((own) => JSON.stringify(own)));
  return sets.find((own) => JSON.stringify(own) === usual) ?? [];
}

function isHeard(answer: DnsAnswer | undefined): boolean {
  return answer?.kind === 'answer' && answer.flags.aa && readAnswer(answer).state !== 'unknown';
}

function checkSet(answer: DnsAnswer, keys: readonly Dnskey[], atS: number): CheckedSet['signatures'] {
  if (answer.kind === 'failure') return [];
  return checkRecords(answer.answers, answer.question, { zone: answer.question.name, keys, atS });
}

/** Whose signatures count, and when. `signaturesOfSet`: so many of one set are looked at; 6 when left out. */
export type Signer = {
  readonly zone: string;
  readonly keys: readonly Dnskey[];
  readonly atS: number;
  readonly signaturesOfSet?: number;
};

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
