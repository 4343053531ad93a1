import type { DnsAnswer, DnsReply, DnsRecord } from '../probes/dns/port.ts';
import { isNoPublicName } from './not-asked.ts';
import { readText } from './record-values.ts';

/** What an answer says about its question. `unknown` is never read as "there is none". */
export type RecordsRead =
  | { readonly state: 'found'; readonly records: readonly DnsRecord[]; readonly aliases: readonly Alias[] }
  | { readonly state: 'none'; readonly nxdomain: boolean; readonly aliases: readonly Alias[] }
  | { readonly state: 'unknown'; readonly why: string; readonly aliases: readonly Alias[] };

type Alias = { readonly name: string; readonly target: string };

/** Longest run of aliases that is followed; resolvers give up earlier. */
const aliasLimit = 32;

/** Reads an answer, following the aliases that are in it (RFC 1034 §3.6.2). */
export function readAnswer(answer: DnsAnswer): RecordsRead {
  if (answer.kind === 'failure')
    return isNoPublicName(answer)
      ? { state: 'none', nxdomain: true, aliases: [] }
      : { state: 'unknown', why: answer.reason, aliases: [] };
  const aliases = followAliases(answer.answers, answer.question.name);
  if (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN')
    return { state: 'unknown', why: describeRcode(answer), aliases };
  const owner = aliases.at(-1)?.target ?? answer.question.name;
  const records = recordsAt(answer.answers, owner, answer.question.type);
  if (records.length > 0) return { state: 'found', records, aliases };
  return { state: 'none', nxdomain: answer.rcode === 'NXDOMAIN', aliases };
}

/** The records of a name and type among those of a section. */
export function recordsAt(section: readonly DnsRecord[], name: string, type: string): readonly DnsRecord[] {
  return section.filter((record) => record.name === name && record.type === type);
}

/** The records that the asked name itself has, no alias followed. Empty also when there was no answer. */
export function ownRecords(answer: DnsAnswer): readonly DnsRecord[] {
  return answer.kind === 'answer'
    ? recordsAt(answer.answers, answer.question.name, answer.question.type)
    : [];
}

/** The records of a reading; none when nothing was found. */
export function foundRecords(reading: RecordsRead): readonly DnsRecord[] {
  return reading.state === 'found' ? reading.records : [];
}

/** The answer's response code with the resolver's own reason: "SERVFAIL (Signature Expired)". */
export function describeRcode(answer: DnsReply): string {
  const [error] = answer.ede;
  return error ? `${answer.rcode} (${describeEde(error)})` : answer.rcode;
}

/** An extended error in words (RFC 8914 §4), with the server's own text where it gave one. */
export function describeEde({ code, text }: { readonly code: number; readonly text: string }): string {
  const name = edeNames[code] ?? `extended error ${code}`;
  return text === '' ? name : `${name}: ${text}`;
}

function followAliases(section: readonly DnsRecord[], start: string): readonly Alias[] {
  const aliases: Alias[] = [];
  let name = start;
  while (aliases.length < aliasLimit) {
    const [record] = recordsAt(section, name, 'CNAME');
    const target = record && readText(record);
    if (target === undefined) break;
    aliases.push({ name, target });
    if (aliases.some((alias) => alias.name === target)) break;
    name = target;
  }
  return aliases;
}

// IANA: Extended DNS Error Codes.
const edeNames: readonly string[] = [
  'other error',
  'unsupported DNSKEY algorithm',
  'unsupported DS digest type',
  'stale answer',
  'forged answer',
  'DNSSEC indeterminate',
  'DNSSEC bogus',
  'signature expired',
  'signature not yet valid',
  'DNSKEY missing',
  'RRSIGs missing',
  'no zone key bit set',
  'NSEC missing',
  'cached error',
  'not ready',
  'blocked',
  'censored',
  'filtered',
  'prohibited',
  'stale NXDOMAIN answer',
  'not authoritative',
  'not supported',
  'no reachable authority',
  'network error',
  'invalid data',
  'signature expired before valid',
  'too early',
  'unsupported NSEC3 iterations value',
  'unable to conform to policy',
  'synthesized',
];
