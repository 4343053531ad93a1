import type { TransportCode } from '#shared/catalogue/dns-check/mail/rules/transport';
import { brokenBy, brokenIf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import { findWrongLength, isUsable, printTlsa, type Tlsa, whyUnusable } from '../../../../mail/parse-tlsa.ts';
import { brokenBySeen } from '../../verdicts.ts';
import type { MailHost, MxFacts } from '../mx/facts.ts';

export type DaneCode = Extract<TransportCode, `dane-${string}`>;

/** What DANE is worth to the domain: whether every mail host is bound by signed, usable records. `unseen`: the lookup of a host's records failed. */
export type DaneState = 'ok' | 'missing' | 'invalid' | 'unseen' | 'unknown';

export type DaneContext = { readonly mx: MxFacts; readonly resolverValidates: boolean | null };

/** Judges the TLSA records of the mail hosts, as far as the DNS shows them; certificates are not looked at. */
export function judgeDane(context: DaneContext): Verdicts<DaneCode> {
  const hosts = context.mx.hosts.filter(({ kind }) => kind === 'host');
  const bound = hosts.filter(({ tlsa }) => tlsa.records.length > 0);
  const bare = hosts.filter(isBare);
  const open = hosts.find(isUnseen);
  const failing = hosts.filter(({ tlsa }) => tlsa.behind === 'fails');
  const unseen = open
    ? notTested(`${open.tlsa.name} could not be read: ${open.tlsa.observation.why}`)
    : undefined;
  const records = bound.flatMap(({ tlsa }) => tlsa.records.map((record) => ({ name: tlsa.name, record })));
  const single = bound.filter(({ tlsa }) => tlsa.records.length === 1);
  const ifBound = (verdict: Verdict): Verdict =>
    bound.length === 0 ? (unseen ?? 'not-applicable') : verdict;
  return {
    'dane-lookup-failed':
      failing.length > 0
        ? brokenBy(failing.map(({ tlsa }) => ({ name: clip(tlsa.name), reason: tlsa.observation.why })))
        : (unseen ?? 'holds'),
    'dane-missing': bound.length > 0 ? 'holds' : (unseen ?? brokenIf(true)),
    'dane-partial': ifBound(
      brokenBySeen(
        bare.map(({ host }) => ({ host: clip(host) })),
        unseen,
      ),
    ),
    'dane-without-dnssec': ifBound(judgeSigned(bound, context, unseen)),
    'dane-unusable': ifBound(brokenBySeen(records.flatMap(showUnusable), unseen)),
    'dane-bad-length': ifBound(brokenBySeen(records.flatMap(showWrongLength), unseen)),
    'dane-single-record': ifBound(judgeSingle(single, unseen)),
  };
}

/** Whether DANE protects mail to the domain: then MTA-STS is not missed. */
export function daneState({ mx, resolverValidates }: DaneContext): DaneState {
  const hosts = mx.hosts.filter(({ kind }) => kind === 'host');
  const bound = hosts.filter(({ tlsa }) => tlsa.records.length > 0);
  if (hosts.some(isUnseen)) return 'unseen';
  if (bound.length === 0) return 'missing';
  if (resolverValidates !== true) return 'unknown';
  const isGood = (host: MailHost) => findUnsigned(host) === null && host.tlsa.records.some(isUsable);
  return bound.length === hosts.length && bound.every(isGood) ? 'ok' : 'invalid';
}

function isUnseen({ tlsa }: MailHost): boolean {
  return tlsa.observation.outcome === 'unknown' && tlsa.behind !== 'absent';
}

function isBare({ tlsa }: MailHost): boolean {
  return tlsa.observation.outcome === 'unknown'
    ? tlsa.behind === 'absent'
    : tlsa.observation.outcome !== 'found';
}

function judgeSigned(
  bound: readonly MailHost[],
  { resolverValidates }: DaneContext,
  unseen: Verdict | undefined,
): Verdict {
  if (resolverValidates !== true) return notTested('our resolver does not validate DNSSEC');
  return brokenBySeen(
    bound.flatMap((host) => {
      const unsigned = findUnsigned(host);
      return unsigned === null ? [] : [{ name: host.tlsa.name, ...unsigned }];
    }),
    unseen,
  );
}

// The addresses of the host and its TLSA records must be signed. Where the MX records are not, a sender may use DANE all the same (RFC 7672 §2.2.1).
function findUnsigned(host: MailHost): { what: string; owner: string } | null {
  if (!host.tlsa.observation.secure) return { what: 'the TLSA record', owner: clip(host.tlsa.name) };
  if (host.observations.some(({ outcome, secure }) => outcome === 'found' && !secure))
    return { what: 'the address', owner: clip(host.host) };
  return null;
}

// A record stands for what it was made of: it outlives the key of a host where it names the CA.
function judgeSingle(single: readonly MailHost[], unseen: Verdict | undefined): Verdict {
  const told = single.flatMap(({ tlsa }) =>
    tlsa.records.map((record) => ({ name: tlsa.name, record: printTlsa(record), ...bindingOf(record) })),
  );
  const fixes = new Set(told.map(({ fix }) => fix));
  return brokenBySeen(
    told.map(({ name, record, what }) => ({ name, record, what })),
    unseen,
    { text: [...fixes].join(' ') },
  );
}

function bindingOf({ usage, selector }: Tlsa): { what: string; fix: string } {
  if (usage === 2)
    return {
      what: selector === 0 ? 'the certificate of the issuing CA' : 'the issuing CA or its key',
      fix: 'Before you change the CA, or it changes its key, publish the record of the next one (2 1 1), or of the host’s own key (3 1 1).',
    };
  return {
    what: selector === 0 ? 'the certificate of the host' : 'the key of the host',
    fix: 'Publish the record of the next key (3 1 1), or of the issuing CA (2 1 1), before the change.',
  };
}

type NamedTlsa = { readonly name: string; readonly record: Tlsa };

function showUnusable({ name, record }: NamedTlsa) {
  const problem = whyUnusable(record);
  return problem === null ? [] : [{ name, record: printTlsa(record), problem }];
}

function showWrongLength({ name, record }: NamedTlsa) {
  const wrong = findWrongLength(record);
  return wrong === null ? [] : [{ name, record: printTlsa(record), ...wrong }];
}
