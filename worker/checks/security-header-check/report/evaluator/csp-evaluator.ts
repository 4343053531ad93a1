import type { CheckerFunction } from 'csp_evaluator/dist/checks/checker.js';
import { CspEvaluator, DEFAULT_CHECKS, STRICTCSP_CHECKS } from 'csp_evaluator/dist/evaluator.js';
import { Severity, Type } from 'csp_evaluator/dist/finding.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import type { PolicyFacts } from '../../facts/policies.ts';
import { fastChecks, slowChecks } from './csp-evaluator-checks.ts';

/** A finding of google/csp-evaluator. */
export type EvaluatorFinding = {
  /** Index among the policies given. */
  readonly policy: number;
  readonly type: string;
  readonly severity: string;
  readonly directive: string;
  readonly value?: string;
  readonly description: string;
};

const checks: CheckerFunction[] = [
  ...DEFAULT_CHECKS.filter((check) => !slowChecks.has(check)),
  ...STRICTCSP_CHECKS,
  ...fastChecks,
];

/** As many policies as a report shows; a hostile page may hold thousands. */
export const policyLimit = 50;

/** What csp_evaluator finds in each enforced header policy, without its repetitions. */
export function evaluatePolicies(policies: readonly PolicyFacts[]): EvaluatorFinding[] {
  return policies
    .slice(0, policyLimit)
    .flatMap((seen, index) => (seen.disposition === 'enforce' ? evaluate(seen.policy.text, index) : []));
}

function evaluate(text: string, policy: number): EvaluatorFinding[] {
  const found = new CspEvaluator(new CspParser(text).csp).evaluate([], checks);
  const shown = found.map(({ type, severity, directive, value, description }) => ({
    policy,
    type: nameOf(Type, type),
    severity: nameOf(Severity, severity),
    directive,
    ...(value === undefined ? {} : { value }),
    description,
  }));
  const unique = new Map(
    shown.map((finding) => [`${finding.type} ${finding.directive} ${finding.value ?? ''}`, finding]),
  );
  return [...unique.values()].slice(0, 200);
}

function nameOf(table: { readonly [key: number]: string }, value: number): string {
  return (table[value] ?? String(value)).toLowerCase().replaceAll('_', '-');
}
