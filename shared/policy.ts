import type { Config } from './config.ts';
import type { TargetPolicy } from './target/parse-target.ts';

/** What the operator lets callers, and targets, name. */
export function targetPolicyOf(config: Config): TargetPolicy {
  return {
    addresses: { allow: config.TARGET_ALLOW_CIDRS, deny: config.TARGET_DENY_CIDRS },
    allowedSuffixes: config.TARGET_ALLOW_SUFFIXES,
    ports: config.TARGET_PORTS,
  };
}
