import { editsBetween } from '../../names.ts';

// Domains by which public CAs know themselves in CAA records, as their practice statements name them (seen 2025). A CA that is missing here
// loses nothing: the list serves only to recognize a slip.
const issuers: readonly string[] = [
  'letsencrypt.org',
  'digicert.com',
  'sectigo.com',
  'comodoca.com',
  'comodo.com',
  'usertrust.com',
  'globalsign.com',
  'pki.goog',
  'amazon.com',
  'amazontrust.com',
  'amazonaws.com',
  'awstrust.com',
  'godaddy.com',
  'starfieldtech.com',
  'entrust.net',
  'ssl.com',
  'buypass.com',
  'buypass.no',
  'certum.pl',
  'certum.eu',
  'identrust.com',
  'quovadisglobal.com',
  'harica.gr',
  'actalis.it',
  'telesec.de',
  'swisssign.com',
  'd-trust.net',
  'certigna.fr',
  'trustwave.com',
  'secomtrust.net',
  'camerfirma.com',
  'geotrust.com',
  'rapidssl.com',
  'thawte.com',
  'symantec.com',
];

/** Known by one domain alone, so that the same word elsewhere is a slip. */
const alone: ReadonlyMap<string, string> = new Map([
  ['letsencrypt', 'letsencrypt.org'],
  ['lets-encrypt', 'letsencrypt.org'],
]);

/** The CA that a name means which is nearly that of a known one; undefined where it is none, or is right. */
export function meantIssuer(name: string): string | undefined {
  if (issuers.includes(name) || name.length > 60) return undefined;
  const [label = '', ...rest] = name.split('.');
  const known = alone.get(label);
  if (known !== undefined && rest.length === 1) return known;
  const near = issuers.filter((issuer) => isNear({ label, suffix: rest.join('.') }, issuer));
  return near.length === 1 ? near[0] : undefined;
}

// Short names are near to many that somebody else may have.
function isNear({ label, suffix }: { label: string; suffix: string }, issuer: string): boolean {
  const [own = '', ...rest] = issuer.split('.');
  if (own.length < 6 || rest.join('.') !== suffix) return false;
  return editsBetween(label, own) <= (own.length < 9 ? 1 : 2);
}
