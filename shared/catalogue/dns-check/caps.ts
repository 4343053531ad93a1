/**
 * The most that a score can be where a critical rule is broken, so that the letter says it too: D at best, and F where resolvers that validate
 * do not get the domain at all.
 */
export const criticalCap = 69;

/** What makes a signed zone bogus. */
export const bogusCodes: readonly string[] = [
  'dnssec-bogus',
  'dnssec-ds-without-key',
  'dnssec-signature-invalid',
];
export const bogusCap = 50;
