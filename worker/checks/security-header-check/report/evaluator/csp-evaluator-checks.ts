import { URLS as flashUrls } from 'csp_evaluator/dist/allowlist_bypasses/flash.js';
import type { CheckerFunction } from 'csp_evaluator/dist/checks/checker.js';
import {
  checkFlashObjectAllowlistBypass,
  checkIpSource,
  checkScriptAllowlistBypass,
} from 'csp_evaluator/dist/checks/security_checks.js';
import { Finding, Severity, Type } from 'csp_evaluator/dist/finding.js';
import { isDottedQuad } from '../../../../web/address-host.ts';
import { parseCspSource } from '../../grammar/csp-source.ts';
import { findBypass } from '../../judge/csp-bypass.ts';

type Csp = Parameters<CheckerFunction>[0];

/**
 * csp_evaluator's three checks that parse every source, and its whole list for each, as URLs: 30 ms and more for 10 kB, and they
 * throw on some sources. The ones below find the same by type, severity, directive and value, in words of our own.
 */
export const slowChecks: ReadonlySet<CheckerFunction> = new Set([
  checkScriptAllowlistBypass,
  checkIpSource,
  checkFlashObjectAllowlistBypass,
]);

/** What takes their place. */
export const fastChecks: CheckerFunction[] = [checkScriptHosts, checkAddresses, checkObjectHosts];

const flashHosts = flashUrls.map(
  (address) => new URL(address.startsWith('//') ? `https:${address}` : address).hostname,
);

function checkScriptHosts(csp: Csp): Finding[] {
  return csp.getEffectiveDirectives(['script-src', 'script-src-elem']).flatMap((directive) => {
    const values = csp.directives[directive] ?? [];
    if (values.includes("'none'")) return [];
    const hasEval = values.includes("'unsafe-eval'");
    return values.flatMap((value) => judgeScriptHost(directive, value, hasEval) ?? []);
  });
}

function judgeScriptHost(directive: string, value: string, hasEval: boolean): Finding | undefined {
  const found = (description: string, severity: Severity) =>
    new Finding(Type.SCRIPT_ALLOWLIST_BYPASS, description, severity, directive, value);
  if (value === "'self'")
    return found(
      'The site itself must serve no JSONP, Angular or uploads as scripts.',
      Severity.MEDIUM_MAYBE,
    );
  if (value.startsWith("'") || !value.includes('.') || /^[a-z][a-z0-9+.-]*:$/i.test(value)) return undefined;
  const bypass = findBypass(parseCspSource(value), hasEval);
  if (!bypass) return found('This host must serve no JSONP or Angular.', Severity.MEDIUM_MAYBE);
  const what = bypass.kind === 'jsonp' ? 'JSONP endpoints' : 'Angular libraries';
  return found(`${bypass.host} serves ${what} that get past this policy.`, Severity.HIGH);
}

function checkAddresses(csp: Csp): Finding[] {
  return Object.entries(csp.directives).flatMap(([directive, values = []]) =>
    values.filter(isAddressSource).map((value) => {
      const isLoopback = value.includes('127.0.0.1');
      const description = isLoopback
        ? 'This is the visitor’s own machine.'
        : 'Browsers match no address here.';
      return new Finding(Type.IP_SOURCE, description, Severity.INFO, directive, value);
    }),
  );
}

function isAddressSource(value: string): boolean {
  const rest = value.replace(/^\w[+\w.-]*:\/\//, '').replace(/^\/\//, '');
  return rest.startsWith('[') ? /^\[[\d:a-f]+\]/i.test(rest) : isDottedQuad(rest.split(/[:/?#]/, 1)[0] ?? '');
}

function checkObjectHosts(csp: Csp): Finding[] {
  const directive = csp.getEffectiveDirective('object-src');
  const values = csp.directives[directive] ?? [];
  const types = csp.directives['plugin-types'];
  if (types && !types.includes('application/x-shockwave-flash')) return [];
  if (values.includes("'none'")) return [];
  return values.flatMap((value) => judgeObjectHost(directive, value) ?? []);
}

function judgeObjectHost(directive: string, value: string): Finding | undefined {
  const found = (description: string, severity: Severity) =>
    new Finding(Type.OBJECT_ALLOWLIST_BYPASS, description, severity, directive, value);
  const source = parseCspSource(value);
  const host = source.kind === 'host' ? source.host : '';
  const suffix = host.startsWith('*.') ? host.slice(1) : undefined;
  const served = flashHosts.find((each) => each === host || (suffix !== undefined && each.endsWith(suffix)));
  if (served !== undefined)
    return found(`${served} serves Flash files that get past this policy.`, Severity.HIGH);
  return directive === 'object-src'
    ? found("object-src can be 'none' on most sites.", Severity.MEDIUM_MAYBE)
    : undefined;
}
