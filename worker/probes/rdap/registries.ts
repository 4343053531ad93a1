import { readFileSync } from 'node:fs';
import type { RdapBootstrap } from '#shared/settings/rdap-bootstrap';
import { parseRdapBootstrap } from '#shared/settings/rdap-bootstrap';
import type { PortRange } from '#shared/targets/parse-target';

/** Who answers for a domain: a base address, none that IANA lists, or none that can be asked over https. */
export type Registry =
  | { readonly kind: 'listed'; readonly base: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'insecure' };

export type Registries = {
  /** The registry of a domain, by the longest name in the list that it ends with: IANA's has top-level domains only (RFC 9224 §4). */
  registryOf(domain: string): Registry;
  /** True for an address below the base address of a registry in the list. */
  isOfRegistry(url: URL): boolean;
  /** Ports of the base addresses. */
  readonly ports: readonly PortRange[];
};

/** Reads the project's own copy of IANA's list. */
export function readListedRegistries(): RdapBootstrap {
  return parseRdapBootstrap(readFileSync(new URL('registries.json', import.meta.url), 'utf8'));
}

/** Opens a list of registries. */
export function openRegistries(bootstrap: RdapBootstrap): Registries {
  const bases = [...new Set([...bootstrap.values()].flat())].filter(isSecure);
  const ports = new Set(bases.map((base) => Number(new URL(base).port || 443)));
  return {
    registryOf(domain) {
      const labels = domain.split('.');
      const names = labels.map((_, index) => labels.slice(index).join('.'));
      const found = names.map((name) => bootstrap.get(name)).find((listed) => listed !== undefined);
      if (found === undefined || found.length === 0) return { kind: 'none' };
      const base = found.find(isSecure);
      return base === undefined ? { kind: 'insecure' } : { kind: 'listed', base };
    },
    isOfRegistry: ({ href }) => bases.some((base) => href.startsWith(base)),
    ports: [...ports].map((port) => [port, port] as const),
  };
}

function isSecure(base: string): boolean {
  return base.startsWith('https:');
}
