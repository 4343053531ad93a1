import type { MailFields } from '#shared/catalogue/dns-check/mail/report';
import type { PartState } from '#shared/catalogue/dns-check/part-state';
import { clip } from '../../../../mail/fault.ts';
import { isUsable } from '../../../../mail/parse-tlsa.ts';
import type { MailHost, MxFacts } from './facts.ts';

/** The field `mx` of the report. */
export function reportMx(facts: MxFacts, resolverValidates: boolean | null): MailFields['mx'] {
  return {
    state: stateOfMx(facts),
    nullMx: facts.hasNullMx,
    implicit: facts.isImplicit === true,
    hosts: facts.hosts.map((host) => showHost(host, resolverValidates)),
  };
}

/** The state of the part: a null MX is a good answer, and so is a host that has an address. */
export function stateOfMx({ observation, hasNullMx, exchanges, hosts }: MxFacts): PartState {
  if (observation.outcome === 'unknown') return 'unknown';
  if (exchanges.length === 0) return 'missing';
  if (hasNullMx) return hosts.length > 0 ? 'invalid' : 'ok';
  const isGood = ({ kind, observations }: MailHost) =>
    kind === 'host' && observations.some(({ outcome }) => outcome === 'found');
  const isOpen = ({ observations }: MailHost) => observations.some(({ outcome }) => outcome === 'unknown');
  if (hosts.some(isGood)) return 'ok';
  return hosts.some(isOpen) ? 'unknown' : 'invalid';
}

function showHost(host: MailHost, resolverValidates: boolean | null): MailFields['mx']['hosts'][number] {
  const { observation, records } = host.tlsa;
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
      state: isGood ? states[observation.outcome] : 'invalid',
      secure: resolverValidates === true && observation.outcome === 'found' ? observation.secure : null,
      records: records.map((record) => ({
        ...record,
        certificate: clip(record.certificate, 140),
        usable: isUsable(record),
      })),
    },
  };
}
