import type { SiteFileObservation } from '../../../../worker/checks/security-header-check/evidence.ts';
import { absentFile, baseline, robotsFile, securityTxt, see, textFile } from '../observations.ts';
import type { Row } from './row.ts';

const place = 'https://site.test/.well-known/security.txt';
const contact = 'Contact: https://site.test/report';
const expires = 'Expires: 2027-06-01T00:00:00Z';
const text = (...lines: readonly string[]) =>
  see({ headers: baseline, files: { wellKnown: textFile(lines.join('\r\n')) } });
const sent = (
  wellKnown: SiteFileObservation<string>,
  legacy: SiteFileObservation<string> = absentFile('/security.txt'),
) => see({ headers: baseline, files: { wellKnown, legacy } });
const robots = (content: string | null, status?: number) =>
  see({ headers: baseline, files: { robots: robotsFile(content, status) } });
const signature = ['-----BEGIN PGP SIGNATURE-----', '', 'iQ==', '-----END PGP SIGNATURE-----'];

export const siteFileRows: readonly Row[] = [
  {
    name: 'a good security.txt',
    evidence: text(
      '# hello',
      contact,
      expires,
      `Canonical: ${place}`,
      'Preferred-Languages: en, de',
      'CSAF: https://site.test/csaf',
    ),
    broken: [],
    holds: [
      'security-txt-missing',
      'security-txt-expired',
      'security-txt-expires-far',
      'security-txt-expires-invalid',
      'security-txt-no-contact',
      'security-txt-no-expires',
      'security-txt-contact-invalid',
      'security-txt-canonical-differs',
      'security-txt-content-type',
      'security-txt-not-https',
      'security-txt-legacy-location',
      'security-txt-other-site',
      'security-txt-field-repeated',
      'security-txt-line-invalid',
      'security-txt-field-not-https',
    ],
    score: 100,
  },
  {
    name: 'no security.txt is told, and costs nothing',
    evidence: sent(absentFile('/.well-known/security.txt')),
    broken: [],
    info: ['security-txt-missing'],
    notApplicable: ['security-txt-no-contact', 'security-txt-expired'],
    score: 100,
  },
  {
    name: 'a page in place of security.txt is none',
    evidence: sent(textFile(null, { headers: [['Content-Type', 'text/html']] })),
    broken: [],
    info: ['security-txt-missing'],
  },
  {
    name: 'a text without a field is none',
    evidence: sent(textFile('{"error": "not found"}')),
    broken: [],
    info: ['security-txt-missing'],
  },
  {
    name: 'redirects in a circle lead to no security.txt',
    evidence: sent({ kind: 'astray', route: [place] }),
    broken: [],
    info: ['security-txt-missing'],
  },
  {
    name: 'a bot wall proves nothing of security.txt',
    evidence: sent(textFile(null, { status: 403, headers: [['cf-mitigated', 'challenge']] })),
    broken: [],
    notTested: ['security-txt-missing', 'security-txt-expired', 'security-txt-line-invalid'],
  },
  {
    name: 'an error of the server proves nothing of security.txt',
    evidence: sent(textFile('Bad gateway', { status: 502 })),
    broken: [],
    notTested: ['security-txt-missing'],
  },
  {
    name: 'a login elsewhere proves nothing of security.txt',
    evidence: sent(textFile(null, { route: [place, 'https://login.other.test/oauth2/authorize'] })),
    broken: [],
    notTested: ['security-txt-missing'],
  },
  {
    name: 'no answer proves nothing of security.txt and robots.txt',
    evidence: see({
      headers: baseline,
      files: {
        wellKnown: { kind: 'failed', route: [place], reason: 'it took too long' },
        robots: { kind: 'failed', route: ['https://site.test/robots.txt'], reason: 'it took too long' },
      },
    }),
    broken: [],
    notTested: ['security-txt-missing', 'robots-disallows-all', 'robots-not-parseable'],
  },
  {
    name: 'a security.txt at the old place only',
    evidence: sent(
      absentFile('/.well-known/security.txt'),
      textFile(securityTxt, { route: ['https://site.test/security.txt'] }),
    ),
    broken: [],
    info: ['security-txt-legacy-location'],
    holds: ['security-txt-missing', 'security-txt-no-contact'],
  },
  {
    name: 'an old place that is not seen leaves it open whether there is one',
    evidence: sent(absentFile('/.well-known/security.txt'), {
      kind: 'failed',
      route: ['https://site.test/security.txt'],
      reason: 'it took too long',
    }),
    broken: [],
    notTested: ['security-txt-missing'],
  },
  {
    name: 'an expired security.txt',
    evidence: text(contact, 'Expires: 2026-11-20T23:59:59+00:00'),
    broken: ['security-txt-expired'],
    score: 100,
  },
  {
    name: 'an expiry is compared with its offset',
    evidence: text(contact, 'Expires: 2026-11-20T23:30:00-01:00'),
    broken: [],
    holds: ['security-txt-expired'],
  },
  {
    name: 'an expiry in ten years',
    evidence: text(contact, 'Expires: 2036-11-20T23:59:59.000Z'),
    broken: [],
    info: ['security-txt-expires-far'],
  },
  {
    name: 'an expiry that is no date',
    evidence: text(contact, 'Expires: Thu, 31 Dec 2026 18:37:07 -0800'),
    broken: ['security-txt-expires-invalid'],
    notApplicable: ['security-txt-expired'],
  },
  {
    name: 'a day that does not exist',
    evidence: text(contact, 'Expires: 2027-02-30T00:00:00Z'),
    broken: ['security-txt-expires-invalid'],
  },
  {
    name: 'no contact',
    evidence: text(expires),
    broken: ['security-txt-no-contact'],
    notApplicable: ['security-txt-contact-invalid'],
  },
  { name: 'no expiry', evidence: text(contact), broken: ['security-txt-no-expires'] },
  {
    name: 'a contact without a scheme, and one in clear text',
    evidence: text('Contact: security@site.test', 'contact: http://site.test/', expires),
    broken: [],
    info: ['security-txt-contact-invalid'],
  },
  {
    name: 'web addresses in clear text: each of the fields that may have one (RFC 9116 §2.5)',
    evidence: text(
      contact,
      expires,
      ...['Acknowledgments', 'Encryption', 'Hiring', 'Policy'].map((field) => `${field}: http://site.test/a`),
    ),
    broken: ['security-txt-field-not-https'],
  },
  {
    name: 'a fingerprint and a DNS name are no web addresses',
    evidence: text(
      contact,
      expires,
      'Encryption: openpgp4fpr:5f2de5521c63a801ab59ccb603d49de44b29100f',
      'Encryption: dns:5d2d37ab76d47d36._openpgpkey.example.com?type=OPENPGPKEY',
    ),
    broken: [],
    holds: ['security-txt-field-not-https'],
  },
  {
    name: 'two expiry dates, of which the later counts',
    evidence: text(contact, 'Expires: 2020-01-01T00:00:00Z', expires),
    broken: ['security-txt-field-repeated'],
    holds: ['security-txt-expired'],
  },
  {
    name: 'two lines of languages',
    evidence: text(contact, expires, 'Preferred-Languages: en', 'Preferred-Languages: de'),
    broken: ['security-txt-field-repeated'],
  },
  {
    name: 'a canonical address elsewhere',
    evidence: text(contact, expires, 'Canonical: https://www.site.test/.well-known/security.txt'),
    broken: ['security-txt-canonical-differs'],
  },
  {
    name: 'either end of a redirect may be canonical',
    evidence: sent(
      textFile(`${securityTxt}Canonical: https://www.site.test/.well-known/security.txt`, {
        route: [place, 'https://www.site.test/.well-known/security.txt'],
      }),
    ),
    broken: [],
    holds: ['security-txt-canonical-differs', 'security-txt-other-site'],
  },
  {
    name: 'a redirect to another site, by way of http',
    evidence: sent(textFile(securityTxt, { route: [place, 'http://other.test/a', 'https://other.test/a'] })),
    broken: ['security-txt-not-https'],
    info: ['security-txt-other-site'],
  },
  {
    name: 'text without a charset',
    evidence: sent(textFile(securityTxt, { headers: [['Content-Type', 'text/plain']] })),
    broken: [],
    info: ['security-txt-content-type'],
  },
  {
    name: 'a signed file counts inside of its signature',
    evidence: text(
      '-----BEGIN PGP SIGNED MESSAGE-----',
      'Hash: SHA512',
      '',
      contact,
      '- -----',
      expires,
      ...signature,
      'Expires: x',
    ),
    broken: [],
    info: ['security-txt-line-invalid'],
    holds: ['security-txt-no-expires', 'security-txt-expires-invalid'],
  },
  {
    name: 'a file that is too long may name its contact later',
    evidence: sent(textFile(expires, { cut: 'limit' })),
    broken: [],
    notTested: ['security-txt-no-contact'],
  },
  {
    name: 'evidence from before security.txt was asked for',
    evidence: { ...see({ headers: baseline }), files: undefined } as unknown as Row['evidence'],
    broken: [],
    notTested: ['security-txt-missing', 'robots-disallows-all'],
  },
  {
    name: 'a robots.txt that forbids everything',
    evidence: robots('User-agent: Googlebot\nUser-Agent: *\nCrawl-delay: 1\nDisallow: / # all'),
    broken: [],
    info: ['robots-disallows-all'],
    holds: ['robots-not-parseable'],
    score: 100,
  },
  {
    name: 'a robots.txt that allows one path',
    evidence: robots('User-agent: *\nDisallow: /\nAllow: /public/'),
    broken: [],
    holds: ['robots-disallows-all'],
  },
  {
    name: 'a robots.txt that forbids everything to one crawler',
    evidence: robots('User-agent: *\nDisallow:\n\nUser-agent: GPTBot\nDisallow: /'),
    broken: [],
    holds: ['robots-disallows-all'],
  },
  { name: 'an empty robots.txt', evidence: robots(''), broken: [], holds: ['robots-not-parseable'] },
  { name: 'a page as robots.txt', evidence: robots(null), broken: [], info: ['robots-not-parseable'] },
  {
    name: 'JSON as robots.txt',
    evidence: robots('{"error": "not found"}'),
    broken: [],
    info: ['robots-not-parseable'],
  },
  {
    name: 'no robots.txt',
    evidence: robots(null, 404),
    broken: [],
    notApplicable: ['robots-not-parseable', 'robots-disallows-all'],
  },
];
