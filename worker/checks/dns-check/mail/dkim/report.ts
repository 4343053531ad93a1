import type { MailFields, MailMode } from '#shared/catalogue/dns-check/mail/report';
import type { PartState } from '#shared/catalogue/dns-check/part-state';
import { clip } from '../../../../mail/fault.ts';
import type { DkimFacts, SelectorFacts } from './facts.ts';

/** The field `dkim` of the report. */
export function reportDkim(facts: DkimFacts, mode: MailMode): MailFields['dkim'] {
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

// Verifiers must not accept an RSA key below 1024 bits (RFC 8301 §3.2).
function stateOfSelector({ observation, texts, key, keyProblem, bits }: SelectorFacts): PartState {
  if (observation.outcome === 'unknown') return 'unknown';
  if (texts.length === 0) return 'missing';
  const isTooShort = key?.keyType === 'rsa' && bits !== null && bits < 1024;
  return key === null || keyProblem !== null || isTooShort ? 'invalid' : 'ok';
}

function showSelector(seen: SelectorFacts): MailFields['dkim']['selectors'][number] {
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
