import { networkInterfaces } from 'node:os';
import type { PortRange, TargetPolicy } from '../targets/parse-target.ts';
import type { Config } from './config.ts';
import { denyListOf } from './deny-list.ts';

/** What the operator lets callers, and targets, name. */
export function targetPolicyOf(config: Config): TargetPolicy {
  const ownAddresses = openOwnAddresses();
  return {
    addresses: {
      allow: config.TARGET_ALLOW_CIDRS,
      deny: config.TARGET_DENY_CIDRS,
      get own() {
        return ownAddresses();
      },
    },
    allowedSuffixes: config.TARGET_ALLOW_SUFFIXES,
    ports: config.TARGET_PORTS.flatMap(withoutMailPort),
    denied: denyListOf(config),
  };
}

/** Whose reports and jobs alone an account is answered with; undefined: everybody's (ACCOUNT_CACHE). */
export function ownerOf(
  { ACCOUNT_CACHE }: Pick<Config, 'ACCOUNT_CACHE'>,
  account: string,
): string | undefined {
  return ACCOUNT_CACHE === 'own' ? account : undefined;
}

/** Port 25 belongs to smtp-check, which has a pace of its own: no target may name it. */
const mailPort = 25;

function withoutMailPort([from, to]: PortRange): PortRange[] {
  const parts: PortRange[] = [
    [from, Math.min(to, mailPort - 1)],
    [Math.max(from, mailPort + 1), to],
  ];
  return parts.filter(([first, last]) => first <= last);
}

const lookAgainMs = 30_000;

/** The addresses of this machine's interfaces, looked up again every half a minute: they may come and go. */
function openOwnAddresses(): () => readonly string[] {
  let known: readonly string[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - lookedAt < lookAgainMs) return known;
    lookedAt = performance.now();
    known = Object.values(networkInterfaces()).flatMap((found) =>
      (found ?? []).map(({ address }) => address),
    );
    return known;
  };
}
