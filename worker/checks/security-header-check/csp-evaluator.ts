import { type CheckerFunction } from 'csp_evaluator/dist/checks/checker.js';
import {
  checkFlashObjectAllowlistBypass,
  checkIpSource,
  checkScriptAllowlistBypass,
} from 'csp_evaluator/dist/checks/security_checks.js';
import { CspEvaluator, DEFAULT_CHECKS, STRICTCSP_CHECKS } from 'csp_evaluator/dist/evaluator.js';
import { Finding, Severity, Type } from 'csp_evaluator/dist/finding.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import { parseCspSource } from './grammar/csp-source.ts';
import { findBypass } from './judge/csp-bypass.ts';
import type { SeenPolicy } from './policies.ts';

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

// These three parse every source as a URL, again and again: 30 ms and more for 10 kB, and they throw on some sources.
const slow: ReadonlySet<CheckerFunction> = new Set([
  checkScriptAllowlistBypass,
  checkIpSource,
  checkFlashObjectAllowlistBypass,
]);
const checks: CheckerFunction[] = [
  ...DEFAULT_CHECKS.filter((check) => !slow.has(check)),
  ...STRICTCSP_CHECKS,
  checkKnownBypasses,
];

/** What csp_evaluator finds in each enforced header policy, without its repetitions. */
export function evaluatePolicies(policies: readonly SeenPolicy[]): EvaluatorFinding[] {
  return policies.flatMap((seen, index) =>
    seen.disposition === 'enforce' ? evaluate(seen.policy.text, index) : [],
  );
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

// csp_evaluator's list of bypass hosts, looked up in an index.
function checkKnownBypasses(csp: Parameters<CheckerFunction>[0]): Finding[] {
  return csp.getEffectiveDirectives(['script-src', 'script-src-elem']).flatMap((directive) => {
    const values = csp.directives[directive] ?? [];
    const hasEval = values.includes("'unsafe-eval'");
    return values.flatMap((value) => {
      const bypass = findBypass(parseCspSource(value), hasEval);
      if (!bypass) return [];
      const what = bypass.kind === 'jsonp' ? 'JSONP endpoints' : 'Angular libraries';
      const description = `${bypass.host} serves ${what} that get past this policy.`;
      return [new Finding(Type.SCRIPT_ALLOWLIST_BYPASS, description, Severity.HIGH, directive, value)];
    });
  });
}
