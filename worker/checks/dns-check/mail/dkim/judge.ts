import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type DkimCode, dkimRules } from '#shared/catalogue/dns-check/mail/rules/dkim';
import {
  allOf,
  brokenIf,
  type Evidence,
  type Fix,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { clip, showFault } from '../../../../mail/fault.ts';
import { aliasLines, type KnownSenders } from '../../mail-providers/find.ts';
import { brokenBySeen } from '../../verdicts.ts';
import { type DkimFacts, isKnownType, type SelectorFacts } from './facts.ts';

/** Judges the keys that were found. That none was guessed is no fault (RFC 6376 §3.1); that none can exist is one. */
export function judgeDkim(
  facts: DkimFacts,
  mode: MailMode,
  { services }: Pick<KnownSenders, 'services'>,
): Verdicts<DkimCode> {
  if (mode === 'parked') return allOf(dkimRules, 'not-applicable');
  const lost = facts.selectors.find(({ observation }) => observation.outcome === 'unknown');
  const unseen = lost && notTested(`${lost.name} could not be read: ${lost.observation.why}`);
  const presence = judgePresence(facts, unseen, fixOf(services, facts));
  const found = facts.selectors.filter(({ texts }) => texts.length > 0);
  if (found.length > 0) return { ...presence, ...judgeKeys(found, unseen) };
  // First for its place in the report, last for its verdicts.
  return { ...presence, ...allOf(dkimRules, unseen ?? 'not-applicable'), ...presence };
}

function judgePresence(
  { name, subtreeExists, isDoubled, selectors, tried }: DkimFacts,
  lost: Verdict | undefined,
  fix: Fix | undefined,
) {
  const hasKey = selectors.some(({ texts }) => texts.length > 0);
  const domain = name.slice('_domainkey.'.length);
  const slip = isDoubled
    ? ` There are records at ${name}.${domain}: a name was entered in full where only one below the domain belongs.`
    : '';
  const unseen = notTested(`whether ${name} exists is not known`);
  const isGuessable = subtreeExists !== false && !selectors.some(({ source }) => source === 'caller');
  const dangling = selectors.filter(
    ({ alias, observation }) =>
      alias !== null && isAbsent(observation.outcome) && !isIdleRotation(alias, selectors),
  );
  return {
    'dkim-none-possible': subtreeExists === null ? unseen : brokenIf(!subtreeExists, { name, slip }, fix),
    'dkim-not-guessed': !isGuessable
      ? 'not-applicable'
      : subtreeExists === null
        ? unseen
        : brokenIf(!hasKey, { count: tried }),
    'dkim-selector-missing': judgeAsked(
      selectors.filter(({ source }) => source === 'caller'),
      lost,
    ),
    'dkim-alias-dangling': brokenBySeen(
      dangling.map((seen) => ({ name: seen.name, alias: clip(seen.alias ?? '') })),
      lost,
    ),
  } satisfies Partial<Verdicts<DkimCode>>;
}

// Only the service can sign, so its settings come first; aliases before that would lead nowhere.
function fixOf(services: KnownSenders['services'], { name }: DkimFacts): Fix | undefined {
  const names = services.map((service) => service.name).join(' and ');
  if (names === '') return undefined;
  const lines = aliasLines(services, name.slice('_domainkey.'.length));
  const then = lines.length === 0 ? 'publish the records that they show' : `publish ${lines.join(', ')}`;
  return { text: `Enable DKIM for the domain in the settings of ${names}, and ${then}.` };
}

// Microsoft 365 has two aliases from the start, and publishes the second key when it rotates: an alias without one is as it must be.
function isIdleRotation(alias: string, selectors: readonly SelectorFacts[]): boolean {
  const isMicrosoft = (name: string | null) =>
    name !== null && /\.(onmicrosoft\.com|dkim\.mail\.microsoft)$/.test(name);
  return isMicrosoft(alias) && selectors.some((other) => other.texts.length > 0 && isMicrosoft(other.alias));
}

function isAbsent(outcome: string): boolean {
  return outcome === 'nodata' || outcome === 'nxdomain';
}

function judgeAsked(asked: readonly SelectorFacts[], lost: Verdict | undefined): Verdict {
  if (asked.length === 0) return 'not-applicable';
  const missing = asked.filter(({ observation }) => isAbsent(observation.outcome));
  return brokenBySeen(
    missing.map(({ name, observation }) => ({
      name,
      found: observation.outcome === 'nxdomain' ? 'no record: the name does not exist' : 'no TXT record',
    })),
    lost,
  );
}

function judgeKeys(found: readonly SelectorFacts[], lost: Verdict | undefined) {
  const broken = (show: (seen: SelectorFacts) => Evidence | null): Verdict =>
    brokenBySeen(
      found.flatMap((seen) => {
        const evidence = show(seen);
        return evidence === null ? [] : [{ name: seen.name, selector: seen.selector, ...evidence }];
      }),
      lost,
    );
  // Of a record that breaks its grammar, or of several, nothing is read; so nothing more holds of it.
  const isRead = found.some(({ key }) => key !== null);
  const ofKey = (show: (seen: SelectorFacts) => Evidence | null): Verdict =>
    isRead ? broken(show) : (lost ?? 'not-applicable');
  return {
    'dkim-syntax': broken(({ faults: [fault] }) => (fault ? showFault(fault) : null)),
    'dkim-key-invalid': ofKey(({ keyProblem }) => (keyProblem === null ? null : { problem: keyProblem })),
    'dkim-multiple': broken(({ texts }) => (texts.length > 1 ? { count: texts.length } : null)),
    'dkim-key-too-short': ofKey((seen) => rsaBits(seen, 1, 1023)),
    'dkim-key-short': ofKey((seen) => rsaBits(seen, 1024, 2047)),
    'dkim-key-type-unknown': ofKey(({ key }) =>
      key && !isKnownType(key) ? { keyType: clip(key.keyType, 40) } : null,
    ),
    'dkim-hash-sha1': ofKey(({ key }) => lacks(key?.hashes, ['sha256'], 'hashes')),
    'dkim-service-not-email': ofKey(({ key }) => lacks(key?.services, ['*', 'email'], 'services')),
    'dkim-revoked': ofKey(({ key }) => (key?.key === '' ? {} : null)),
    'dkim-test-mode': ofKey(({ key }) => (key?.isTesting ? {} : null)),
  } satisfies Partial<Verdicts<DkimCode>>;
}

function rsaBits({ key, bits }: SelectorFacts, from: number, to: number): Evidence | null {
  return key?.keyType === 'rsa' && bits !== null && bits >= from && bits <= to ? { bits } : null;
}

function lacks(
  values: readonly string[] | undefined,
  wanted: readonly string[],
  name: string,
): Evidence | null {
  if (!values || values.length === 0 || values.some((value) => wanted.includes(value))) return null;
  return { [name]: clip(values.join(':'), 80) };
}
