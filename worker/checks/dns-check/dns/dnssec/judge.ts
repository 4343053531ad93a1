import { dnssecRules } from '#shared/catalogue/dns-check/rules/dnssec';
import {
  allOf,
  brokenBy,
  brokenIf,
  eachOf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { brokenBySeen } from '../../verdicts.ts';
import type { DnsFacts } from '../facts.ts';
import { algorithmOf, isUsableDs } from './algorithms.ts';
import { enterDs } from './enter-ds.ts';
import type { Hidden } from './find-hidden.ts';
import { judgeCds, judgeCdsSigner } from './judge-cds.ts';
import { judgeDenial, judgeHidden, judgeOptOut } from './judge-denial.ts';
import { judgeCdsSets, judgeDsSets, judgeKeySets } from './judge-sets.ts';
import { judgeStrength } from './judge-strength.ts';
import { isoTime, keyTagOf, printDs, revokedFlag, zoneKeyFlag } from './key-tag.ts';
import { type Denial, readDenials } from './read-denial.ts';
import { lastingSignature, type Signing } from './read-signing.ts';
import { brokenSets, type CheckedSet, faultIn } from './set-faults.ts';
import type { DnssecFacts } from './status.ts';

type DnssecCode = keyof typeof dnssecRules;

/** Judges DNSSEC: the resolver's word, the parent's DS, and the zone's keys and signatures. */
export function judgeDnssec(
  facts: DnsFacts,
  signing: Signing,
  { refused, hidden }: Pick<DnssecFacts, 'refused'> & { readonly hidden: readonly Hidden[] },
): Verdicts<DnssecCode> {
  const bogus = judgeBogus(facts, refused);
  if (facts.zone.kind === 'inside') return { ...allOf(dnssecRules, 'not-applicable'), 'dnssec-bogus': bogus };
  const denials = readDenials(facts, signing);
  return {
    'dnssec-bogus': bogus,
    ...judgeChain(facts, signing, denials),
    ...judgeSignatures(facts, signing),
    ...judgeStrength(facts, signing, denials),
    ...judgeDenial(facts, signing, denials),
    'dnssec-denial-hides': judgeHidden(facts, signing, { denials, hidden }),
    'dnssec-nsec3-opt-out': judgeOptOut(facts, signing, denials),
    'dnssec-server-signature-invalid': judgeServers(facts, signing),
    'dnssec-keys-inconsistent': judgeKeySets(facts, signing),
    'dnssec-cds-inconsistent': judgeCdsSets(facts, signing),
    'dnssec-ds-inconsistent': judgeDsSets(facts),
    'dnssec-algorithm-not-signing': judgeAlgorithms(facts, signing),
    'dnssec-cds-mismatch': judgeCds(facts, signing),
    'dnssec-cds-unsigned': judgeCdsSigner(facts, signing),
  };
}

function judgeBogus({ domain, evidence }: DnsFacts, refused: DnssecFacts['refused']): Verdict {
  if (refused.length > 0) return brokenBy(refused.map((one) => ({ name: domain, ...one })));
  const { root, apex } = evidence;
  const validates = root.kind === 'answer' && root.flags.ad;
  if (!validates) return notTested('the resolver does not validate');
  return apex.SOA.kind === 'answer' && apex.SOA.rcode !== 'SERVFAIL'
    ? 'holds'
    : notTested('the resolver gave no answer');
}

const chainCodes = [
  'dnssec-ds-without-key',
  'dnssec-ds-stale',
  'dnssec-unsigned',
  'dnssec-ds-missing',
] as const;

function judgeChain(
  { apex, domain }: DnsFacts,
  signing: Signing,
  denials: readonly Denial[],
): Verdicts<(typeof chainCodes)[number]> {
  const { ds, keys } = signing;
  const unseen = [apex.DS, apex.DNSKEY].find(({ state }) => state === 'unknown');
  if (unseen?.state === 'unknown')
    return eachOf(chainCodes, notTested(`DS or DNSKEY was not seen: ${unseen.why}`));
  const hasDs = apex.DS.state === 'found';
  // The resolver may have met the one server without keys.
  const isSigned = keys.length > 0;
  // One that validators cannot use binds them to nothing, and has a rule of its own.
  const usable = ds.filter(({ ds: one }) => isUsableDs(one));
  const stray = usable.filter(({ key }) => key === null).map(({ ds: one }) => ({ ds: printDs(one) }));
  const isBroken = hasDs && stray.length === usable.length;
  return {
    'dnssec-ds-without-key': hasDs
      ? brokenBy(isBroken ? stray : [], enterDs(domain, signing, denials))
      : 'not-applicable',
    'dnssec-ds-stale': hasDs && !isBroken ? brokenBy(stray) : 'not-applicable',
    'dnssec-unsigned': brokenIf(!hasDs && !isSigned, { zone: domain }),
    'dnssec-ds-missing':
      isSigned && !hasDs
        ? brokenBy([{ zone: domain, keys: keys.map(keyTagOf).join(', ') }], enterDs(domain, signing, denials))
        : hasDs
          ? 'holds'
          : 'not-applicable',
  };
}

const signatureCodes = [
  'dnssec-signature-invalid',
  'dnssec-signature-expires-today',
  'dnssec-signature-expires-soon',
] as const;

function judgeSignatures(
  { domain, apex, evidence }: DnsFacts,
  { sets, keys, unsignedHere }: Signing,
): Verdicts<(typeof signatureCodes)[number]> {
  const told = (verdict: Verdict) => eachOf(signatureCodes, verdict);
  if (apex.DNSKEY.state === 'unknown') return told(notTested(`the keys were not seen: ${apex.DNSKEY.why}`));
  // Without keys the DS rule says what is wrong; without DS nobody looks at the signatures.
  if (keys.length === 0 || apex.DS.state === 'none') return told('not-applicable');
  if (sets.length === 0) return told(notTested('the resolver passed on no signatures'));
  const unseen =
    unsignedHere.length === 0
      ? undefined
      : notTested(
          `the records of type ${unsignedHere.join(', ')} came without EDNS, and so without signatures`,
        );
  const ending = sets.flatMap((set) => endingSignature(set, domain, evidence.askedAtS));
  return {
    'dnssec-signature-invalid': brokenBySeen(
      brokenSets(sets).map((fault) => ({ name: domain, ...fault })),
      unseen,
    ),
    'dnssec-signature-expires-today': brokenBy(ending.filter(({ leftS }) => leftS < halfDayS)),
    'dnssec-signature-expires-soon': brokenBy(ending.filter(({ leftS }) => leftS >= halfDayS)),
  };
}

// Each server by itself: what the resolver saw is the answer of one. Where no server is good, the zone is at fault, and has a rule of its own.
function judgeServers({ apex }: DnsFacts, { servers, keys }: Signing): Verdict {
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  if (keys.length === 0 || apex.DS.state === 'none') return 'not-applicable';
  if (servers.every(({ sets }) => sets.length === 0))
    return notTested('no name server gave its SOA with DNSSEC');
  const faults = servers.map(({ server, ip, sets }) =>
    sets.flatMap((set) => {
      const reason = faultIn(set);
      return reason === undefined ? [] : [{ server, ip, type: set.type, reason }];
    }),
  );
  return faults.every(({ length }) => length > 0) ? 'not-applicable' : brokenBy(faults.flat());
}

const halfDayS = 12 * 3600;
const threeDaysS = 3 * 86_400;

// Servers that sign as they answer make signatures of a day or two on purpose; what counts is that most of the life is over.
function endingSignature(
  set: CheckedSet,
  name: string,
  atS: number,
): (Evidence & { readonly leftS: number })[] {
  const rrsig = lastingSignature(set);
  if (!rrsig) return [];
  const leftS = rrsig.expiration - atS;
  const lifeS = rrsig.expiration - rrsig.inception;
  if (leftS >= threeDaysS || leftS * 4 >= lifeS) return [];
  return [{ name, type: set.type, expires: isoTime(rrsig.expiration), leftS }];
}

/** Judges that every algorithm of which the zone has a key signs all its sets (RFC 4035 §2.2). A set without a good signature has a rule of its own. */
function judgeAlgorithms({ apex, domain }: DnsFacts, { keys, sets }: Signing): Verdict {
  if (apex.DNSKEY.state === 'unknown') return notTested(`the keys were not seen: ${apex.DNSKEY.why}`);
  if (keys.length === 0 || apex.DS.state === 'none') return 'not-applicable';
  if (sets.length === 0) return notTested('the resolver passed on no signatures');
  const algorithms = new Set(
    keys
      .filter(({ flags }) => (flags & zoneKeyFlag) !== 0 && (flags & revokedFlag) === 0)
      .map(({ algorithm }) => algorithm),
  );
  const signed = sets.map(({ type, signatures }) => {
    const good = signatures.filter(({ verdict }) => verdict === 'valid' || verdict === 'unsupported');
    return { type, by: new Set(good.map(({ rrsig }) => rrsig.algorithm)) };
  });
  return brokenBy(
    [...algorithms].flatMap((algorithm) => {
      const types = signed.filter(({ by }) => by.size > 0 && !by.has(algorithm)).map(({ type }) => type);
      return types.length === 0
        ? []
        : [{ zone: domain, algorithm: algorithmOf(algorithm).name, types: types.join(', ') }];
    }),
  );
}
