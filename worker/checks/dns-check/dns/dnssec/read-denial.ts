import { recordsAt } from '../../../../dns/read-answer.ts';
import type { Dnskey } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsReply, DnsRecord } from '../../../../probes/dns/port.ts';
import type { DnsFacts } from '../facts.ts';
import { chainsOf } from './denial-chain.ts';
import { denialRecordsIn, labelsOf, type Nsec3, sortDenials } from './denial-records.ts';
import { iterationLimit } from './nsec3-hash.ts';
import { type Claimed, findGap } from './prove-denial.ts';
import { checkRecords, isAskedFor, type Signer, type Signing } from './read-signing.ts';
import { faultIn } from './set-faults.ts';

/** How one server proves that something is not there; each reason is a clause. */
export type Proof = 'whole' | { readonly broken: string } | { readonly unseen: string };

export type Denial = {
  readonly server: string;
  readonly ip: string;
  readonly of: 'name' | 'type';
  readonly proof: Proof;
  /** Those in the answer, signed or not. */
  readonly nsec3: readonly Nsec3[];
};

/** One good signature is enough, and a rollover has two; each server may give other ones (CVE-2023-50387). */
const signatureLimit = 2;

/**
 * Reads how each server of a signed zone denies a random name and a type that the zone does not have.
 * Left out are servers whose signatures do not hold in any case: another rule tells that.
 */
export function readDenials(facts: DnsFacts, { keys, servers }: Signing): readonly Denial[] {
  const sound = new Set(
    servers.filter(({ sets }) => sets.every((set) => faultIn(set) === undefined)).map(({ ip }) => ip),
  );
  const signer = signerOf(facts, keys);
  const read = (answer: DnsAnswer) => readDenial(answer, signer);
  return facts.evidence.servers
    .filter(({ address }) => sound.has(address))
    .flatMap(({ name, address, absentName, absentType }) => [
      ...(absentName ? [{ server: name, ip: address, of: 'name' as const, ...read(absentName) }] : []),
      ...(absentType ? [{ server: name, ip: address, of: 'type' as const, ...read(absentType) }] : []),
    ]);
}

/** Who may sign a proof. */
export function signerOf({ domain, evidence, known }: DnsFacts, keys: readonly Dnskey[]): Signer {
  return { zone: domain, keys, atS: evidence.askedAtS, known, signaturesOfSet: signatureLimit };
}

/** Reads how one answer proves what it says. */
export function readDenial(answer: DnsAnswer, signer: Signer): Pick<Denial, 'proof' | 'nsec3'> {
  if (answer.kind === 'failure') return { proof: { unseen: answer.reason }, nsec3: [] };
  const { nsec3 } = sortDenials(denialRecordsIn(answer.authority));
  const claimed = readClaim(answer, signer);
  if ('unseen' in claimed || 'broken' in claimed) return { proof: claimed, nsec3 };
  if (claimed.kind === 'nothing') return { proof: 'whole', nsec3 };
  if (nsec3.some(({ iterations }) => iterations > iterationLimit))
    return { proof: { unseen: `NSEC3 hashes more than ${iterationLimit} times` }, nsec3 };
  const broken = findFault(answer, claimed, signer);
  return { proof: broken === undefined ? 'whole' : { broken }, nsec3 };
}

type Claim = Claimed | { readonly kind: 'nothing' } | Exclude<Proof, 'whole'>;

/** What the answer says, and so has to prove. */
function readClaim(answer: DnsReply, signer: Signer): Claim {
  const { question, rcode, flags, answers } = answer;
  const name = labelsOf(question.name);
  if (!name) return { unseen: 'the name cannot be written down' };
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return { unseen: `the server answered ${rcode}` };
  if (!flags.aa) return { unseen: 'the server answered without authority' };
  if (!isAskedFor(answer) && !answer.authority.some(({ type }) => type === 'RRSIG'))
    return { unseen: 'the answer came without EDNS, and so without proofs' };
  if (answers.some(({ type }) => type === 'DNAME')) return { unseen: 'the whole zone is an alias' };
  const type = ['CNAME', question.type].find((one) => recordsAt(answers, question.name, one).length > 0);
  if (type === undefined)
    return rcode === 'NXDOMAIN' ? { kind: 'no-name', name } : { kind: 'no-type', name, type: question.type };
  const signatures = checkRecords(answers, { name: question.name, type }, signer);
  const fault = faultIn({ signatures });
  if (fault !== undefined) return { broken: `there is a record instead, of a wildcard, but ${fault}` };
  // A signature that covers fewer labels than the name has is that of a wildcard (RFC 4035 §3.1.3.3).
  const fewest = Math.min(...signatures.map(({ rrsig }) => rrsig.labels));
  return fewest < name.length ? { kind: 'expansion', name, labels: fewest } : { kind: 'nothing' };
}

function findFault(answer: DnsReply, claimed: Claimed, signer: Signer): string | undefined {
  const records = denialRecordsIn(answer.authority);
  if (records.length === 0) return 'the answer has no NSEC or NSEC3 record';
  const checked = records.map((record) => ({
    record,
    fault: faultIn({ signatures: checkRecords(answer.authority, record, signer) }),
  }));
  const good = checked.flatMap(({ record, fault }) => (fault === undefined ? [record] : []));
  const bad = checked.find(({ fault }) => fault !== undefined);
  const gap = findGapIn(good, claimed, signer.zone);
  if (gap === undefined || bad === undefined) return gap;
  return `an ${bad.record.type} record in it does not count: ${bad.fault}`;
}

function findGapIn(records: readonly DnsRecord[], claimed: Claimed, zone: string): string | undefined {
  const { nsec, nsec3 } = sortDenials(records);
  if (nsec.length + nsec3.length === 0) return 'no NSEC or NSEC3 record in it can be read';
  const usable = nsec3.filter(isUsable);
  const [first] = nsec3;
  if (nsec.length + usable.length === 0 && first) return describeUnusable(first);
  const gaps = chainsOf(nsec, usable, zone).map((chain) => findGap(chain, claimed));
  return gaps.includes(undefined) ? undefined : gaps[0];
}

// Validators ignore those of an unknown hash or flag (RFC 5155 §8.1, §8.2).
function isUsable({ algorithm, flags }: Nsec3): boolean {
  return algorithm === 1 && flags <= 1;
}

function describeUnusable({ algorithm }: Nsec3): string {
  return algorithm === 1
    ? 'its NSEC3 records have an unknown flag'
    : `its NSEC3 records have the unknown hash algorithm ${algorithm}`;
}
