import {
  brokenBy,
  type Evidence,
  eachOf,
  isMalformed,
  notTested,
  type Verdicts,
} from '#shared/model/verdict';
import type { DnsFacts } from '../facts.ts';
import { judgeTargets, targetCodes } from './binding-targets.ts';
import { judgeHints } from './judge-hints.ts';
import { parseServiceBinding, type ServiceBinding } from './parse-service-binding.ts';

const httpsCodes = [
  'https-record-invalid',
  'https-record-ignored',
  'https-record-hint-differs',
  ...targetCodes,
] as const;

/** Judges the HTTPS records of the domain, each by itself and beside the others. */
export function judgeHttpsRecords(facts: DnsFacts): Verdicts<(typeof httpsCodes)[number]> {
  const reading = facts.apex.HTTPS;
  if (reading.state !== 'found')
    return eachOf(httpsCodes, reading.state === 'none' ? 'not-applicable' : notTested(reading.why));
  const parsed = reading.records.map(({ data }) => ({ data, value: parseServiceBinding(data) }));
  const good = parsed.flatMap(({ value }) => (isMalformed(value) ? [] : [value]));
  return {
    'https-record-invalid': brokenBy(
      parsed.flatMap(({ data, value }) =>
        isMalformed(value) ? [{ record: JSON.stringify(data), reason: value.malformed }] : [],
      ),
    ),
    'https-record-ignored': brokenBy(ignoredParts(good)),
    'https-record-hint-differs': judgeHints(facts, good),
    ...judgeTargets(facts, good),
  };
}

function ignoredParts(bindings: readonly ServiceBinding[]): readonly Evidence[] {
  const aliases = bindings.filter(({ priority }) => priority === 0);
  const services = bindings.length - aliases.length;
  const withKeys = aliases.filter(({ keys }) => keys.length > 0);
  return [
    ...withKeys.map(({ target, keys }) => ({
      reason: `The record in AliasMode for ${target === '' ? '.' : target} has parameters (${keys.join(', ')})`,
    })),
    ...(aliases.length > 0 && services > 0
      ? [{ reason: 'There are records in ServiceMode beside one in AliasMode' }]
      : []),
    ...(aliases.length > 1
      ? [
          {
            reason: `There are ${aliases.length} records in AliasMode, and clients choose one of them by chance`,
          },
        ]
      : []),
  ];
}
