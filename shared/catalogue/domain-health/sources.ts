import type { Job } from '../../model/job.ts';
import { isRegistrable } from '../../targets/parse-target.ts';
import { dnsCheck } from '../dns-check/spec.ts';
import { pagespeedCheck } from '../pagespeed-check/spec.ts';
import { readOptions } from '../read-options.ts';
import { redirectCheck } from '../redirect-check/spec.ts';
import { securityHeaderCheck } from '../security-header-check/spec.ts';
import { smtpCheck } from '../smtp-check/spec.ts';
import type { CheckSpec } from '../spec.ts';
import { sslCheck } from '../ssl-check/spec.ts';
import { asksWeb } from './parts.ts';
import { type CategoryName, categoryNames } from './weights.ts';

/** What domain-health asks one of its sources, exactly as that check’s own endpoint would: equal questions have equal keys. */
export type SourceQuestion = {
  readonly spec: CheckSpec;
  readonly target: string;
  readonly options: Job['options'];
  /** The answer is everybody's, also where accounts have caches of their own. */
  readonly isShared?: boolean;
};

/** The host that visitors of a domain meet: the domain itself, or www where the domain has no address of its own. */
export function webHostOf(domain: string, hasAddress: boolean): string {
  return hasAddress || !isRegistrable(domain) ? domain : `www.${domain}`;
}

/** DNS and mail of the domain. */
export function dnsQuestion(domain: string): SourceQuestion {
  return plainQuestion(dnsCheck, domain);
}

/** TLS of the web host. */
export function sslQuestion(webHost: string): SourceQuestion {
  return plainQuestion(sslCheck, webHost);
}

/** Headers of the web host's first page; the check asks http and https both. */
export function headersQuestion(webHost: string): SourceQuestion {
  return plainQuestion(securityHeaderCheck, `https://${webHost}/`);
}

/** How fast a page of the web host is, on a mobile. */
export function performanceQuestion(url: string): SourceQuestion {
  return plainQuestion(pagespeedCheck, url);
}

/** The mail hosts of the domain, where they are to be talked to. */
export function mailHostsQuestion(domain: string): SourceQuestion {
  return plainQuestion(smtpCheck, domain);
}

/** The addresses that people type for a domain: http and https, and of a registrable domain those of www too. */
export function entryPointQuestions(domain: string): readonly SourceQuestion[] {
  const hosts = isRegistrable(domain) ? [domain, `www.${domain}`] : [domain];
  return hosts.flatMap((host) => [
    plainQuestion(redirectCheck, `http://${host}/`),
    plainQuestion(redirectCheck, `https://${host}/`),
  ]);
}

/** All that one visit asks for these parts; performance has a queue of its own, and needs the entry points to know its page. */
export function visitQuestions(
  domain: string,
  webHost: string,
  parts: readonly CategoryName[] = categoryNames,
): readonly SourceQuestion[] {
  const isAsked = (...names: readonly CategoryName[]) => names.some((name) => parts.includes(name));
  return [
    ...(isAsked('dns', 'mail') ? [dnsQuestion(domain)] : []),
    ...(isAsked('ssl') ? [sslQuestion(webHost)] : []),
    ...(isAsked('headers') ? [headersQuestion(webHost)] : []),
    ...(asksWeb(parts) ? entryPointQuestions(domain) : []),
  ];
}

/** What a check is asked about a target without any option. */
export function plainQuestion(spec: CheckSpec, target: string): SourceQuestion {
  const read = readOptions(spec, {});
  if (!('options' in read)) throw new Error(`${spec.name} can be asked without options`);
  return { spec, target, options: read.options };
}
