import { type Observation, oncePerObservation, textsOf } from '../../../../dns/observation.ts';
import { type Mailbox, readMailbox } from '../../../../dns/read-mailbox.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { trimSpaces } from '../../../../mail/ascii.ts';
import { clip, type SyntaxFault, type Faulty, settle } from '../../../../mail/fault.ts';
import { parseStsRecord } from '../../../../mail/parse-sts-record.ts';
import { hasVersion, parseVersioned } from '../../../../mail/parse-versioned.ts';
import { type Behind, lookBehind } from '../../look-behind.ts';
import { parseReportUris } from '../dmarc/parse-report-uris.ts';
import type { MxFacts } from '../mx/facts.ts';

/** What is known of an MTA-STS or TLS reporting record. */
type RecordFacts<T> = {
  readonly name: string;
  readonly observation: Observation;
  /** Texts that begin with the version. */
  readonly texts: readonly string[];
  readonly value: T | null;
  /** Faults of the one record, or of a text that misses the version by letter case or one character. */
  readonly faults: readonly SyntaxFault[];
};

export type StsFacts = RecordFacts<{ readonly id: string }> & {
  readonly policyUrl: string;
  /** What is behind a lookup of the record that failed. */
  readonly behind: Behind;
  /** Whether the policy host has an address; null where nobody knows. */
  readonly hasHost: boolean | null;
};

/** What the rules of transport are judged by. */
export type TransportFacts = {
  readonly domain: string;
  readonly mx: MxFacts;
  readonly sts: StsFacts;
  readonly tlsRpt: TlsRptFacts;
  /** Whether our resolver vouches for signed names at all: the root is signed. */
  readonly resolverValidates: boolean | null;
};

/** Sees the MTA-STS record, and whether there is a host for the policy. */
export function readSts(zone: Zone, domain: string): StsFacts {
  const host = `mta-sts.${domain}`;
  const observation = zone.look(`_mta-sts.${domain}`, 'TXT');
  const outcomes = [zone.look(host, 'A').outcome, zone.look(host, 'AAAA').outcome];
  return {
    name: observation.name,
    observation,
    ...parseStsOnce(observation),
    behind: lookBehind(zone, observation),
    policyUrl: `https://${host}/.well-known/mta-sts.txt`,
    hasHost: outcomes.includes('found') ? true : outcomes.includes('unknown') ? null : false,
  };
}

type TlsRptFacts = RecordFacts<{ readonly rua: readonly string[] }> & {
  /** The mail addresses among those for reports. */
  readonly mailboxes: readonly { readonly uri: string; readonly host: string; readonly mailbox: Mailbox }[];
};

/** So many addresses are looked at. */
const uriLimit = 10;

/** Sees the TLS reporting record, and whether its mail addresses take mail. */
export function readTlsRpt(zone: Zone, domain: string): TlsRptFacts {
  const observation = zone.look(`_smtp._tls.${domain}`, 'TXT');
  const record = parseTlsRptOnce(observation);
  const uris = (record.value?.rua ?? []).slice(0, uriLimit).flatMap((uri) => parseReportUris(uri, 0));
  const mailboxes = uris.flatMap(({ uri, scheme, host }) =>
    scheme === 'mailto' && host !== null ? [{ uri, host, mailbox: readMailbox(zone, host) }] : [],
  );
  return { name: observation.name, observation, ...record, mailboxes };
}

type PolicyText<T> = Omit<RecordFacts<T>, 'name' | 'observation'>;

function readRecord<P extends object>(
  version: string,
  parse: (text: string) => P,
): (observation: Observation) => PolicyText<Exclude<P, Faulty>> {
  return oncePerObservation((observation) => {
    const all = textsOf(observation).map(({ text }) => text);
    const texts = all.filter((text) => hasVersion(text, version));
    const { value, faults } = settle(texts.length === 1 ? parse(texts[0] ?? '') : null);
    const missed = texts.length === 0 ? all.flatMap((text) => findNearMiss(text, version)) : [];
    return { texts, value, faults: [...faults, ...missed] };
  });
}

const parseStsOnce = readRecord('STSv1', parseStsRecord);
const parseTlsRptOnce = readRecord('TLSRPTv1', parseTlsRpt);

function findNearMiss(text: string, version: string): SyntaxFault[] {
  // Quotes that were pasted with the text are part of it.
  const isMeant =
    /^[^a-z]*(.*)$/s.exec(text.slice(0, 60).toLowerCase())?.[1]?.startsWith(`v=${version.toLowerCase()}`) ===
    true;
  if (!isMeant) return [];
  return [{ at: 0, term: clip(text, 40), problem: `a record begins with exactly v=${version};` }];
}

/** A TLS reporting record (RFC 8460 §3): where reports go. */
type TlsRpt = { readonly rua: readonly string[] };

/** Reads "v=TLSRPTv1; rua=mailto:reports@example.com". */
export function parseTlsRpt(text: string): TlsRpt | Faulty {
  const read = parseVersioned(text, 'TLSRPTv1');
  if ('faults' in read) return read;
  const rua = read.fields.find(({ name }) => name === 'rua');
  if (!rua) return { faults: [{ at: text.length, term: '', problem: 'the field rua is missing' }] };
  const uris = parseReportUris(rua.value, rua.valueAt);
  const [fault, ...others] = uris.flatMap(({ uri, at, scheme, isUri, host }): SyntaxFault[] => {
    if (isUri && host !== null && (scheme === 'mailto' || scheme === 'https')) return [];
    return [{ at, term: clip(uri, 80), problem: 'an address begins with mailto: or https:' }];
  });
  return fault ? { faults: [fault, ...others] } : { rua: uris.map(({ uri }) => trimSpaces(uri).text) };
}
