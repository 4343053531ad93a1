import type { Provider } from './provider.ts';
import { providers } from './table.ts';

/** True for a name at or below one of these. */
function isUnder(name: string, suffixes: readonly string[] = []): boolean {
  return suffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/** The service whose mail host this is, the longest suffix first; undefined where none is known. */
export function providerOfHost(host: string): Provider | undefined {
  const fitting = providers.flatMap((provider) =>
    (provider.mx ?? []).flatMap((suffix) => (isUnder(host, [suffix]) ? [{ provider, suffix }] : [])),
  );
  return fitting.toSorted((a, b) => b.suffix.length - a.suffix.length)[0]?.provider;
}

/** Selectors of the services that these names (mail hosts, names that SPF includes) belong to. */
export function selectorsFor(names: readonly string[]): readonly string[] {
  const found = providers.filter((provider) => {
    const { mx = [], include, aka = [] } = provider;
    const suffixes = [...mx, ...aka, ...(include === undefined ? [] : [include])];
    return names.some((name) => isUnder(name, suffixes));
  });
  return [...new Set(found.flatMap(({ selectors = [] }) => selectors))];
}

/** The service that takes reports at this host, where one is known. */
export function reportService(host: string): Provider | undefined {
  return providers.find(({ reports }) => isUnder(host, reports));
}

/** True for a service whose servers send for the domains that it has mailboxes for, by a name that was read at its own source. */
export function maySend({ isMailbox, include, source }: Provider): boolean {
  return isMailbox === true && include !== undefined && source !== undefined;
}

/** Who sends for a domain, as far as its mail hosts tell. */
export type KnownSenders = {
  /** Services with mailboxes among its mail hosts; their servers send for it. */
  readonly services: readonly Provider[];
  /** Names to include, one for each service. */
  readonly includes: readonly string[];
  /** True where each mail host belongs to such a service. */
  readonly isWhole: boolean;
};

/** `isImplicit`: there is no MX record, and mail goes to the domain itself; null where nobody knows. */
type MailHosts = {
  readonly hosts: readonly { readonly host: string }[];
  readonly isImplicit: boolean | null;
};

/** Reads who sends for a domain. A filter before the mailboxes, or a host of the domain's own, leaves that open. */
export function readSenders({ hosts, isImplicit }: MailHosts): KnownSenders {
  const found = isImplicit ? [] : hosts.map(({ host }) => providerOfHost(host));
  const known = [...new Set(found.flatMap((one) => (one !== undefined && maySend(one) ? [one] : [])))];
  return {
    services: known,
    includes: known.flatMap(({ include }) => include ?? []),
    isWhole: found.length > 0 && found.every((one) => one !== undefined && known.includes(one)),
  };
}

/** The aliases that a service asks for, as lines to publish. */
export function aliasLines(services: readonly Provider[], domain: string): readonly string[] {
  return services.flatMap(({ aliases = [] }) =>
    aliases.map(
      ([selector, target]) =>
        `${selector}._domainkey.${domain} CNAME ${target.replaceAll('{domain}', domain)}`,
    ),
  );
}

/** Lines of an MTA-STS policy for these hosts: the host itself, or what its service says fits all of its own. */
export function stsLines(hosts: readonly string[]): readonly string[] {
  const lines = hosts.map((host) => {
    const wide = providerOfHost(host)?.sts?.find((pattern) => fits(pattern, host));
    return wide ?? host;
  });
  return [...new Set(lines)];
}

// A star stands for one label (RFC 8461 §4.1).
function fits(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') && host.slice(host.indexOf('.')) === pattern.slice(1);
}
