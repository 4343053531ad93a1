import { type DkimCode, dkimRules } from '../../../../../shared/catalogue/dns-check/mail/rules/dkim.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../../shared/model/verdict.ts';
import { clip, showFault } from '../fault.ts';
import type { MailMode } from '../mode.ts';
import { sameForAll } from '../verdicts.ts';
import type { DkimFacts, SeenSelector } from './see-dkim.ts';
import { isKnownType } from './see-dkim.ts';

/** Judges the keys that were found. That none was guessed is no fault (RFC 6376 §3.1); that none can exist is one. */
export function assessDkim(facts: DkimFacts, mode: MailMode): Verdicts<DkimCode> {
  if (mode === 'parked') return sameForAll(dkimRules, 'not-applicable');
  return { ...judgePresence(facts), ...judgeKeys(facts.selectors.filter(({ texts }) => texts.length > 0)) };
}

type PresenceCode =
  | 'dkim-none-possible'
  | 'dkim-not-guessed'
  | 'dkim-selector-missing'
  | 'dkim-alias-dangling';

function judgePresence({
  name,
  subtreeExists,
  selectors,
  tried,
}: DkimFacts): Pick<Verdicts<DkimCode>, PresenceCode> {
  const hasKey = selectors.some(({ texts }) => texts.length > 0);
  const unseen = notTested(`whether ${name} exists is not known`);
  const isGuessable = subtreeExists !== false && !selectors.some(({ source }) => source === 'caller');
  const dangling = selectors.filter(({ alias, sight }) => alias !== null && isAbsent(sight.outcome));
  return {
    'dkim-none-possible': subtreeExists === null ? unseen : brokenIf(!subtreeExists, { name }),
    'dkim-not-guessed': !isGuessable
      ? 'not-applicable'
      : subtreeExists === null
        ? unseen
        : brokenIf(!hasKey, { count: tried }),
    'dkim-selector-missing': judgeAsked(selectors.filter(({ source }) => source === 'caller')),
    'dkim-alias-dangling': brokenBy(
      dangling.map((seen) => ({ name: seen.name, alias: clip(seen.alias ?? '') })),
    ),
  };
}

function isAbsent(outcome: string): boolean {
  return outcome === 'nodata' || outcome === 'nxdomain';
}

function judgeAsked(asked: readonly SeenSelector[]): Verdict {
  if (asked.length === 0) return 'not-applicable';
  const missing = asked.filter(({ sight }) => isAbsent(sight.outcome));
  const unseen = asked.find(({ sight }) => sight.outcome === 'unknown');
  if (missing.length === 0 && unseen)
    return notTested(`${unseen.name} could not be read: ${unseen.sight.why}`);
  return brokenBy(
    missing.map(({ name, sight }) => ({
      name,
      found: sight.outcome === 'nxdomain' ? 'no record: the name does not exist' : 'no TXT record',
    })),
  );
}

type KeyCode = Exclude<DkimCode, PresenceCode>;

function judgeKeys(found: readonly SeenSelector[]): Verdicts<KeyCode> {
  if (found.length === 0) return keysNotThere;
  const broken = (show: (seen: SeenSelector) => Evidence | null): Verdict =>
    brokenBy(
      found.flatMap((seen) => {
        const evidence = show(seen);
        return evidence === null ? [] : [{ name: seen.name, selector: seen.selector, ...evidence }];
      }),
    );
  return {
    'dkim-syntax': broken(({ faults: [fault] }) => (fault ? showFault(fault) : null)),
    'dkim-key-invalid': broken(({ keyProblem }) => (keyProblem === null ? null : { problem: keyProblem })),
    'dkim-multiple': broken(({ texts }) => (texts.length > 1 ? { count: texts.length } : null)),
    'dkim-key-too-short': broken((seen) => rsaBits(seen, 1, 1023)),
    'dkim-key-short': broken((seen) => rsaBits(seen, 1024, 2047)),
    'dkim-key-type-unknown': broken(({ key }) =>
      key && !isKnownType(key) ? { keyType: clip(key.keyType, 40) } : null,
    ),
    'dkim-hash-sha1': broken(({ key }) => lacks(key?.hashes, ['sha256'], 'hashes')),
    'dkim-service-not-email': broken(({ key }) => lacks(key?.services, ['*', 'email'], 'services')),
    'dkim-revoked': broken(({ key }) => (key?.key === '' ? {} : null)),
    'dkim-test-mode': broken(({ key }) => (key?.isTesting ? {} : null)),
  };
}

const keysNotThere: Verdicts<KeyCode> = {
  'dkim-syntax': 'not-applicable',
  'dkim-key-invalid': 'not-applicable',
  'dkim-multiple': 'not-applicable',
  'dkim-key-too-short': 'not-applicable',
  'dkim-key-short': 'not-applicable',
  'dkim-key-type-unknown': 'not-applicable',
  'dkim-hash-sha1': 'not-applicable',
  'dkim-service-not-email': 'not-applicable',
  'dkim-revoked': 'not-applicable',
  'dkim-test-mode': 'not-applicable',
};

function rsaBits({ key, bits }: SeenSelector, from: number, to: number): Evidence | null {
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
