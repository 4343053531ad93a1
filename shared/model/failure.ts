/** How a probe could not look. Stable; shown to callers. */
export const failureCodes = [
  'name-not-found', // NXDOMAIN, or no A and AAAA record
  'name-unresolved', // the resolver gave no answer, or SERVFAIL
  'target-address-not-allowed',
  'target-not-allowed',
  'connection-refused',
  'connection-reset',
  'connection-closed',
  'connection-timeout',
  'network-unreachable',
  'tls-failed',
  'tls-timeout',
  'not-tls',
  'response-timeout',
  'headers-too-large',
  'malformed-response',
  'not-http',
  'not-from-here', // ours: the network of this machine cannot do it
  'budget-spent', // ours: the run, or all runs together, have asked enough of that host
] as const;
export type FailureCode = (typeof failureCodes)[number];

/**
 * What a failed request proves. definite: every client on the internet gets the same · uncertain: it may be our network, our limits or
 * a passing fault, so nothing is known of the target · private: the target names an address that is not public, where no outside client
 * arrives; no connection was made · policy: a place that we never ask (a special-use name, a blocked port).
 */
export type FailureKind = 'definite' | 'uncertain' | 'private' | 'policy';

/** The one place that says so. */
export const failureKinds: { readonly [C in FailureCode]: FailureKind } = {
  'name-not-found': 'definite',
  'name-unresolved': 'uncertain',
  'target-address-not-allowed': 'private',
  'target-not-allowed': 'policy',
  'connection-refused': 'definite',
  'connection-reset': 'definite',
  'connection-closed': 'definite',
  'connection-timeout': 'uncertain',
  'network-unreachable': 'uncertain',
  'tls-failed': 'definite',
  'tls-timeout': 'uncertain',
  'not-tls': 'definite',
  'response-timeout': 'uncertain',
  // Browsers accept more than our parser: longer headers, and syntax that RFC 9112 forbids.
  'headers-too-large': 'uncertain',
  'malformed-response': 'uncertain',
  'not-http': 'definite',
  'not-from-here': 'uncertain',
  // A run may ask only so many hosts and addresses that its caller did not name.
  'budget-spent': 'uncertain',
};

/** The kind of a code as it stands in a report or evidence; of a code that this version does not know nothing is concluded. */
export function kindOfFailure(code: string): FailureKind {
  return Object.hasOwn(failureKinds, code) ? failureKinds[code as FailureCode] : 'uncertain';
}

/** Whether the address guard or our own policy kept us from asking, so that no connection was made. */
export function isKeptBack(code: string): code is 'target-not-allowed' | 'target-address-not-allowed' {
  const kind = kindOfFailure(code);
  return kind === 'private' || kind === 'policy';
}

/** Whether no host is to blame: our budget ended, or the network of this machine cannot do it. */
export function isNotAsked(code: string): code is 'budget-spent' | 'not-from-here' {
  return code === 'budget-spent' || code === 'not-from-here';
}

/** Why something was not asked: our own time was over, and no server is to blame for it. A clause. */
export const outOfTime = 'the time for this check was up';
