/** A DS record as a registry tells it: the digest in lower-case hex. */
export type RegisteredDs = {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: string;
};

/** What is read of a registry's answer about a domain; everything else in it is dropped while it is read. JSON. */
export type RegisteredDomain = {
  /** ISO 8601; null where the registry does not tell. */
  readonly expiresAt: string | null;
  /** What the registry writes instead of a date, where it cannot be read. */
  readonly expiresUnread?: string;
  readonly registeredAt: string | null;
  /** The name of the company that registered it for its owner. */
  readonly registrar: string | null;
  /** By the names of EPP (RFC 8056): "clientHold". */
  readonly statuses: readonly string[];
  readonly nameServers: readonly string[];
  /** A name of a server could not be read, so the list is not whole. */
  readonly nameServersUnread?: true;
  readonly ds: readonly RegisteredDs[];
  /** Whether the registry says that the delegation is signed; null where it does not say. */
  readonly isSigned: boolean | null;
};

/** What a registry answered, or why it did not. */
export type RdapAnswer =
  | { readonly kind: 'domain'; readonly domain: RegisteredDomain }
  /** The registry knows no such name. */
  | { readonly kind: 'missing' }
  /** IANA lists no service for the top-level domain. */
  | { readonly kind: 'no-rdap' }
  /** `reason` is a clause. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Registries that asked not to be asked for a while, over all workers. */
export type RegistryRests = {
  isResting(host: string): Promise<boolean>;
  rest(host: string, seconds: number): Promise<void>;
};

/** Asks registries about domains. */
export interface RdapProbe {
  /** True where a registry can be asked about the domain: without asking, any other answer is known already. */
  canAsk(domain: string): boolean;
  /**
   * Asks the registry of a domain. It rejects only for an aborted run or a defect.
   * @param domain as registries sell it, in ASCII
   * @param ending ends the question alone, as `unknown`
   */
  ask(domain: string, rests: RegistryRests, ending: AbortSignal): Promise<RdapAnswer>;
}
