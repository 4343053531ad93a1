/** Failures of a request that say that we could not look, not that there is nothing. */
export const unheardCodes: readonly string[] = [
  'name-unresolved',
  'connection-timeout',
  'tls-timeout',
  'response-timeout',
  'network-unreachable',
];
