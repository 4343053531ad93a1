import type { Json } from '#shared/model/verdict';
import type { DnsAnswer, DnsReply } from '../probes/dns/port.ts';
import { isNoPublicName, isOurs } from './not-asked.ts';
import { foundRecords, readAnswer, recordsAt } from './read-answer.ts';

/**
 * One question; with `server` it goes straight to that address, with `unchecked` the resolver is to give what it cannot validate (CD), and with
 * `again` it is asked a second time, without DNSSEC, as equal questions of a run are asked once.
 */
export type ObservedQuestion = {
  readonly name: string;
  readonly type: string;
  readonly server?: string;
  readonly unchecked?: true;
  readonly again?: true;
};

export type ObservedRecord = {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly data: Json;
};

/**
 * What one question gave. `found`: records of the asked type. `nodata`: the name exists, such a record does not. `nxdomain`: the name does
 * not exist. `unknown`: nobody can say (timeout, SERVFAIL, a limit of ours), and `why` ends a sentence.
 */
export type Observation = ObservedQuestion & {
  readonly outcome: 'found' | 'nodata' | 'nxdomain' | 'unknown';
  /** The asked records, and the aliases on the way to them. */
  readonly records: readonly ObservedRecord[];
  /** A validating resolver vouches for it (AD). */
  readonly secure: boolean;
  readonly why: string;
  /** True where the DNS itself failed, as it would fail a mail receiver; absent where a limit of ours ended the question. */
  readonly hasFailed?: true;
  /** The response code of an answer that is an error, and its extended errors (RFC 8914); absent in evidence of before. */
  readonly rcode?: string;
  readonly errors?: readonly number[];
};

/** The evidence in an answer of the DNS probe. */
export function readObservation(question: ObservedQuestion, answer: DnsAnswer): Observation {
  const reading = readAnswer(answer);
  if (answer.kind === 'failure') return readFailure(question, answer);
  if (reading.state === 'unknown')
    return {
      ...unknownObservation(question, describeRefusal(answer)),
      hasFailed: true,
      rcode: answer.rcode,
      errors: answer.ede.map(({ code }) => code),
    };
  // A server that does not know the zone has nothing to say of its records, be it a referral or somebody's cache.
  if (question.server !== undefined && !answer.flags.aa)
    return unknownObservation(question, 'the server answers without authority');
  const aliases = reading.aliases.flatMap(({ name }) => recordsAt(answer.answers, name, 'CNAME').slice(0, 1));
  const records = [...aliases, ...foundRecords(reading)].map(({ name, type, ttl, data }) => ({
    name,
    type,
    ttl,
    data,
  }));
  const isGone = reading.state === 'none' && reading.nxdomain;
  const outcome = reading.state === 'found' ? 'found' : isGone ? 'nxdomain' : 'nodata';
  return { ...question, outcome, records, secure: answer.flags.ad, why: '' };
}

function readFailure(
  question: ObservedQuestion,
  answer: Extract<DnsAnswer, { kind: 'failure' }>,
): Observation {
  const unknown = unknownObservation(question, answer.reason);
  if (isNoPublicName(answer)) return { ...unknown, outcome: 'nxdomain' };
  return isOurs(answer) ? unknown : { ...unknown, hasFailed: true };
}

/** A question without an answer; `why` ends a sentence, such as "no answer within 3 tries". */
export function unknownObservation(question: ObservedQuestion, why: string): Observation {
  return { ...question, outcome: 'unknown', records: [], secure: false, why };
}

function describeRefusal({ rcode, ede }: DnsReply): string {
  const texts = ede.map(({ code, text }) => (text === '' ? `extended error ${code}` : text));
  return `the resolver answered ${rcode}${texts.length === 0 ? '' : ` (${texts.join('; ')})`}`;
}

/** True when the name itself exists: it has records, or others, or is an alias, even one that leads nowhere (RFC 6604 §3). */
export function nameExists({ name, outcome, records }: Observation): boolean | null {
  if (outcome === 'unknown') return null;
  return outcome !== 'nxdomain' || records.some((record) => record.type === 'CNAME' && record.name === name);
}

/** The first alias on the way, or null. */
export function aliasOf({ name, records }: Observation): string | null {
  const alias = records.find((record) => record.type === 'CNAME' && record.name === name);
  return typeof alias?.data === 'string' ? alias.data : null;
}

export type Txt = { readonly strings: readonly string[]; readonly text: string };

/** The TXT records of a observation, each byte one character. */
export function textsOf({ records, type }: Observation): Txt[] {
  return records.flatMap((record) => {
    const { strings, text } = readObject(record.type === type ? record.data : null);
    if (typeof text !== 'string') return [];
    return [
      { strings: Array.isArray(strings) ? strings.filter((s) => typeof s === 'string') : [text], text },
    ];
  });
}

/** Addresses or names of a observation: A, AAAA, NS, PTR. */
export function valuesOf({ records, type }: Observation): string[] {
  return records.flatMap((record) =>
    record.type === type && typeof record.data === 'string' ? [record.data] : [],
  );
}

/** The MX records of a observation by preference; "" is the root, as in a null MX. */
export function exchangesOf({ records }: Observation): { preference: number; exchange: string }[] {
  const found = records.flatMap((record) => {
    const { preference, exchange } = readObject(record.type === 'MX' ? record.data : null);
    if (typeof preference !== 'number' || typeof exchange !== 'string') return [];
    return [{ preference, exchange: exchange.toLowerCase() }];
  });
  return found.sort((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1));
}

/** The same reading, made once of each observation: a domain is seen again after every answer, and its records stay what they are. */
export function oncePerObservation<T, S extends object = Observation>(
  read: (observation: S) => T,
): (observation: S) => T {
  const known = new WeakMap<S, { readonly value: T }>();
  return (observation) => {
    const kept = known.get(observation) ?? { value: read(observation) };
    known.set(observation, kept);
    return kept.value;
  };
}

/** A JSON object's keys, or none. */
export function readObject(value: Json): { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};
}
