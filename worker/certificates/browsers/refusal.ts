/** Who refuses: the verifiers of Chrome (BoringSSL's pki) and Firefox (mozilla::pkix), both as of November 2026. */
export type Browsers = 'Chrome' | 'Firefox' | 'Chrome and Firefox';
export const both = 'Chrome and Firefox';

/** Where a certificate stands in a path. What counts differs: Firefox reads the names of a CA only under name constraints. */
export type Role = 'leaf' | 'issuer';

/** What a browser refuses a certificate for, whatever path it stands in. */
export type Refusal = {
  readonly reason:
    | 'certificate-malformed'
    | 'extension-malformed'
    | 'extension-repeated'
    | 'extension-unknown'
    | 'purpose-wrong'
    | 'signature-unsupported';
  /** As the end of a sentence about the certificate. */
  readonly what: string;
  readonly by: Browsers;
};

/** Joins what each of the two says; null where both accept. */
export function refusedBy(byChrome: boolean, byFirefox: boolean): Browsers | null {
  if (byChrome && byFirefox) return both;
  if (byChrome) return 'Chrome';
  return byFirefox ? 'Firefox' : null;
}
