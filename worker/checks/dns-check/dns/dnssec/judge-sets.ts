import { brokenBy, notTested, type Verdict } from '#shared/model/verdict';
import { ownRecords, readAnswer, recordsAt } from '../../../../dns/read-answer.ts';
import { type Dnskey, readAll, readDnskey, readDs } from '../../../../dns/record-values.ts';
import type { DnsAnswer, DnsRecord } from '../../../../probes/dns/port.ts';
import type { DnsFacts } from '../facts.ts';
import { mostFrequent, sorted } from '../ns/delegation.ts';
import { algorithmOf } from './algorithms.ts';
import { keyTagOf, printDs } from './key-tag.ts';
import type { Signing } from './read-signing.ts';

/** Judges that every name server has the same keys, or keys with which a resolver may go from one to the other. */
export function judgeKeySets({ apex, servers: all }: DnsFacts, signing: Signing): Verdict {
  const { servers, keys, isOneChain } = signing;
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  if (keys.length === 0) return 'not-applicable';
  const seen = servers.flatMap((one) =>
    one.keys === null ? [] : [{ server: one.server, ip: one.ip, keys: printKeys(one.keys) }],
  );
  if (seen.length < Math.min(2, all.length) || seen.length === 0)
    return notTested(`${seen.length === 0 ? 'no' : 'only one'} name server gave its keys`);
  // Two providers, each with keys of its own and with those that sign at the other (RFC 8901 §2.1.2).
  if (isOneChain) return 'holds';
  const usual = mostFrequent(seen.map((one) => one.keys));
  return brokenBy(seen.filter((one) => one.keys !== usual).map((one) => ({ ...one, others: usual })));
}

function printKeys(keys: readonly Dnskey[]): string {
  const names = keys.map((key) => `${keyTagOf(key)} (${algorithmOf(key.algorithm).name})`);
  return sorted(names).join(', ') || 'none';
}

/** Judges that every name server asks the parent for the same DS; a parent that asks one of them would enter what the others do not have. */
export function judgeCdsSets({ evidence, authoritative }: DnsFacts, { keys }: Signing): Verdict {
  if (keys.length === 0) return 'not-applicable';
  const known = evidence.servers.filter(({ address }) => authoritative.some(({ ip }) => ip === address));
  const cds = known.flatMap(({ name, address, cds: answer }) =>
    readRequests({ record: 'CDS', server: name, ip: address }, answer, (records) =>
      readAll(records, readDs).map(printDs),
    ),
  );
  const cdnskeys = known.flatMap(({ name, address, cdnskey: answer }) =>
    readRequests({ record: 'CDNSKEY', server: name, ip: address }, answer, (records) =>
      readAll(records, readDnskey).map((key) => `${keyTagOf(key)} (${algorithmOf(key.algorithm).name})`),
    ),
  );
  if (cds.length < 2) return notTested('fewer than two name servers gave their CDS');
  return brokenBy([...differing(cds), ...differing(cdnskeys)]);
}

type Request = { readonly record: string; readonly server: string; readonly ip: string };

function readRequests(
  who: Request,
  answer: DnsAnswer | undefined,
  print: (records: readonly DnsRecord[]) => readonly string[],
): readonly (Request & { readonly cds: string })[] {
  if (answer?.kind !== 'answer' || readAnswer(answer).state === 'unknown') return [];
  return [{ ...who, cds: sorted(print(ownRecords(answer))).join(', ') || 'none' }];
}

function differing(seen: readonly (Request & { readonly cds: string })[]) {
  const usual = mostFrequent(seen.map(({ cds }) => cds));
  return seen.filter(({ cds }) => cds !== usual).map((one) => ({ ...one, others: usual }));
}

/** Judges that every server of the parent refers with the same DS. One that gives a referral without DNSSEC has none to give. */
export function judgeDsSets({ domain, evidence: { referrals, parentAgain = [] }, zone }: DnsFacts): Verdict {
  const seen = referrals.flatMap((answer) => {
    if (answer.kind === 'failure' || answer.edns?.dnssecOk !== true) return [];
    if (recordsAt(answer.authority, domain, 'NS').length === 0) return [];
    const ds = readAll(recordsAt(answer.authority, domain, 'DS'), readDs).map(printDs);
    return [{ ip: answer.server, ds: sorted(ds).join(', ') || 'none' }];
  });
  // A server that has the domain's zone too answers from it, and was asked for the DS by itself.
  for (const answer of parentAgain) {
    if (answer.kind === 'failure' || answer.question.type !== 'DS' || answer.edns?.dnssecOk !== true)
      continue;
    if (readAnswer(answer).state === 'unknown') continue;
    const ds = readAll(ownRecords(answer), readDs).map(printDs);
    seen.push({ ip: answer.server, ds: sorted(ds).join(', ') || 'none' });
  }
  if (zone.kind === 'unknown' || seen.length < 2)
    return notTested('fewer than two of the parent’s name servers gave a referral with DNSSEC');
  const usual = mostFrequent(seen.map(({ ds }) => ds));
  return brokenBy(seen.filter(({ ds }) => ds !== usual).map((one) => ({ ...one, others: usual })));
}
