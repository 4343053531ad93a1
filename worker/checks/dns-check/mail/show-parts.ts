import type { MailFields, PartState } from '../../../../shared/catalogue/dns-check/mail/report.ts';
import type { BimiFacts } from './bimi/see-bimi.ts';
import type { DkimFacts, SeenSelector } from './dkim/see-dkim.ts';
import type { PolicySight } from './evidence.ts';
import type { MailMode } from './mode.ts';
import type { MailHost, MxFacts } from './mx/see-mx.ts';
import type { MailFacts } from './see-mail.ts';
import { clip } from './text/fault.ts';
import { daneState, isUsable } from './transport/judge-dane.ts';
import { isUnheard, readServed, refusedHosts } from './transport/judge-sts.ts';
import type { RecordFacts } from './transport/see-transport.ts';

/** The field `dkim` of the report. */
export function showDkim(facts: DkimFacts, mode: MailMode): MailFields['dkim'] {
  const { subtreeExists, selectors } = facts;
  return { state: stateOfDkim(facts, mode), subtreeExists, selectors: selectors.map(showSelector) };
}

/** The state of the part. A key that was only not guessed leaves it unknown. */
export function stateOfDkim({ selectors, subtreeExists }: DkimFacts, mode: MailMode): PartState {
  if (mode === 'parked') return 'not-applicable';
  const states = selectors.map(stateOfSelector);
  if (states.includes('ok')) return 'ok';
  if (states.includes('invalid')) return 'invalid';
  const isAsked = selectors.some(({ source }) => source === 'caller');
  return subtreeExists === false || (isAsked && states.includes('missing')) ? 'missing' : 'unknown';
}

function stateOfSelector({ sight, texts, key, keyProblem }: SeenSelector): PartState {
  if (sight.outcome === 'unknown') return 'unknown';
  if (texts.length === 0) return 'missing';
  return key === null || keyProblem !== null ? 'invalid' : 'ok';
}

function showSelector(seen: SeenSelector): MailFields['dkim']['selectors'][number] {
  const { selector, source, alias, texts, key, bits } = seen;
  return {
    selector: clip(selector, 100),
    source,
    state: stateOfSelector(seen),
    alias: alias === null ? null : clip(alias),
    record: texts[0] === undefined ? null : clip(texts[0], 1000),
    keyType: key === null ? null : clip(key.keyType, 40),
    bits,
    revoked: key?.key === '',
    testing: key?.isTesting ?? false,
  };
}

/** The field `mx` of the report. */
export function showMx(facts: MxFacts, resolverValidates: boolean | null): MailFields['mx'] {
  return {
    state: stateOfMx(facts),
    nullMx: facts.hasNullMx,
    implicit: facts.isImplicit === true,
    hosts: facts.hosts.map((host) => showHost(host, resolverValidates)),
  };
}

/** The state of the part: a null MX is a good answer, and so is a host that has an address. */
export function stateOfMx({ sight, hasNullMx, exchanges, hosts }: MxFacts): PartState {
  if (sight.outcome === 'unknown') return 'unknown';
  if (exchanges.length === 0) return 'missing';
  if (hasNullMx) return hosts.length > 0 ? 'invalid' : 'ok';
  const isGood = ({ kind, sights }: MailHost) =>
    kind === 'host' && sights.some(({ outcome }) => outcome === 'found');
  const isOpen = ({ sights }: MailHost) => sights.some(({ outcome }) => outcome === 'unknown');
  if (hosts.some(isGood)) return 'ok';
  return hosts.some(isOpen) ? 'unknown' : 'invalid';
}

function showHost(host: MailHost, resolverValidates: boolean | null): MailFields['mx']['hosts'][number] {
  const { sight, records } = host.tlsa;
  const states = { found: 'ok', nodata: 'missing', nxdomain: 'missing', unknown: 'unknown' } as const;
  const isGood = records.length === 0 || records.some(isUsable);
  return {
    host: clip(host.host),
    preference: host.preference,
    addresses: host.addresses.map(({ address }) => address),
    ...(host.alias === null ? {} : { alias: clip(host.alias) }),
    ptr: host.addresses.map(({ address, names, confirmed }) => ({
      address,
      names: names.map((name) => clip(name)),
      confirmed: names.length === 0 ? null : confirmed,
    })),
    tlsa: {
      state: isGood ? states[sight.outcome] : 'invalid',
      secure: resolverValidates === true && sight.outcome === 'found' ? sight.secure : null,
      records: records.map((record) => ({
        ...record,
        certificate: clip(record.certificate, 140),
        usable: isUsable(record),
      })),
    },
  };
}

/** The field `mtaSts` of the report. */
export function showSts(
  { sts, mx }: MailFacts,
  file: PolicySight | null,
  mode: MailMode,
): MailFields['mtaSts'] {
  const served = readServed(file);
  return {
    state: stateOfSts(sts, file, mode),
    record: sts.texts[0] === undefined ? null : clip(sts.texts[0], 500),
    id: sts.value?.id ?? null,
    policy: served && { ...served, mx: [...served.mx] },
    policyUrl: sts.policyUrl,
    mxMatch: served === null || mx.sight.outcome === 'unknown' ? null : refusedHosts(served, mx).length === 0,
  };
}

function stateOfSts(sts: MailFacts['sts'], file: PolicySight | null, mode: MailMode): PartState {
  const state = stateOfRecord(sts, mode);
  if (state !== 'ok') return state;
  if (file === null || isUnheard(file)) return 'unknown';
  return readServed(file) !== null && file.kind === 'response' && file.certificateError === null
    ? 'ok'
    : 'invalid';
}

/** The state of MTA-STS and DANE together: either counts for both. */
export function stateOfTransport(facts: MailFacts, mode: MailMode): PartState {
  if (mode === 'parked' || (mode === 'mail' && facts.mx.hosts.length === 0)) return 'not-applicable';
  const dane = daneState(facts);
  if (dane === 'ok') return 'ok';
  const sts = stateOfRecord(facts.sts, mode);
  return sts === 'missing' && dane === 'unknown' ? 'unknown' : sts;
}

/** The state of a record at a name of its own. */
export function stateOfRecord(
  { sight, texts, value, faults }: RecordFacts<object>,
  mode: MailMode,
): PartState {
  if (mode === 'parked') return 'not-applicable';
  if (sight.outcome === 'unknown') return 'unknown';
  if (texts.length === 0 && faults.length === 0) return 'missing';
  return value === null ? 'invalid' : 'ok';
}

/** The fields `tlsRpt` and `bimi` of the report. */
export function showReports(
  { tlsRpt, bimi }: MailFacts,
  mode: MailMode,
): Pick<MailFields, 'tlsRpt' | 'bimi'> {
  const text = (texts: readonly string[]) => (texts[0] === undefined ? null : clip(texts[0], 500));
  return {
    tlsRpt: {
      state: stateOfRecord(tlsRpt, mode),
      record: text(tlsRpt.texts),
      rua: (tlsRpt.value?.rua ?? []).map((uri) => clip(uri)),
    },
    bimi: {
      state: stateOfBimi(bimi, mode),
      record: text(bimi.texts),
      logo: bimi.bimi?.logo ?? null,
      authority: bimi.bimi?.authority ?? null,
    },
  };
}

function stateOfBimi({ sight, texts, bimi, faults }: BimiFacts, mode: MailMode): PartState {
  return stateOfRecord({ name: sight.name, sight, texts, value: bimi, faults }, mode);
}
