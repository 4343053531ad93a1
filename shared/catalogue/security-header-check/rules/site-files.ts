import { inGroup } from '../groups.ts';

/** How people who find a fault can tell the site. No points: the page itself is as safe without it. */
export const securityTxtRules = inGroup('site-files', {
  'security-txt-missing': {
    severity: 'info',
    title: 'There is no security.txt',
    detail:
      '{url} has none: {reason}. People who find a vulnerability look there for a contact, and may otherwise publish it or give up.',
    fix: 'Publish /.well-known/security.txt with the fields Contact and Expires.',
    references: ['RFC 9116 §3'],
  },
  'security-txt-expired': {
    severity: 'low',
    title: 'security.txt has expired',
    detail: '{url} expired on {expires}. Readers must not use it any more, so the site has no contact.',
    fix: 'Check that its contacts are still right, then set Expires to a date within the next year.',
    references: ['RFC 9116 §2.5.5', 'RFC 9116 §5.3'],
  },
  'security-txt-no-contact': {
    severity: 'low',
    title: 'security.txt names no contact',
    detail: '{url} has no field Contact, which is what the file is for.',
    fix: 'Add a line such as Contact: mailto:security@example.com.',
    references: ['RFC 9116 §2.5.3'],
  },
  'security-txt-no-expires': {
    severity: 'low',
    title: 'security.txt has no expiry date',
    detail: '{url} has no Expires field, so readers cannot tell whether its contacts are current.',
    fix: 'Add a line such as Expires: 2027-01-31T23:00:00Z, within the next year.',
    references: ['RFC 9116 §2.5.5'],
  },
  'security-txt-expires-invalid': {
    severity: 'low',
    title: 'The expiry date of security.txt is not valid',
    detail: 'Expires in {url} says "{value}": {reason}.',
    fix: 'Write it as date and time with an offset, e.g. 2027-01-31T23:00:00Z.',
    references: ['RFC 9116 §2.5.5', 'RFC 3339 §5.6'],
  },
  'security-txt-expires-far': {
    severity: 'info',
    title: 'security.txt is valid for more than a year',
    detail: '{url} expires on {expires}. Contacts change; a file that lasts this long is often outdated.',
    fix: 'Set Expires to a date within the next year, and renew the file when you check its contacts.',
    references: ['RFC 9116 §2.5.5'],
  },
  'security-txt-field-repeated': {
    severity: 'low',
    title: 'A field appears more than once in security.txt',
    detail: '{url} has {field} {count} times. It may appear once, and clients differ on which one they use.',
    fix: 'Keep one line. List several languages in one Preferred-Languages field, separated by commas.',
    references: ['RFC 9116 §2.5.5', 'RFC 9116 §2.5.8'],
  },
  'security-txt-contact-invalid': {
    severity: 'info',
    title: 'A contact in security.txt is not a URI',
    detail: '"{value}" in {url} is not an address that software can open.',
    fix: 'Write mailto:name@example.com, tel:+1-201-555-0123 or an https:// address.',
    references: ['RFC 9116 §2.5.3'],
  },
  'security-txt-field-not-https': {
    severity: 'low',
    title: 'security.txt names an address in clear text',
    detail: '{field} in {url} is "{value}". The network can replace what is read there.',
    fix: 'Write the https:// address.',
    references: ['RFC 9116 §2.5'],
  },
  'security-txt-canonical-differs': {
    severity: 'low',
    title: 'security.txt says that it belongs elsewhere',
    detail:
      'It was fetched from {url}, which its Canonical fields do not list ({canonical}). Readers should not trust it then.',
    fix: 'Add this address as a Canonical field, or redirect it to the canonical one.',
    references: ['RFC 9116 §2.5.2'],
  },
  'security-txt-content-type': {
    severity: 'info',
    title: 'security.txt is not sent as text in UTF-8',
    detail: '{url} is sent as "{value}".',
    fix: 'Send Content-Type: text/plain; charset=utf-8.',
    references: ['RFC 9116 §3'],
  },
  'security-txt-not-https': {
    severity: 'low',
    title: 'security.txt is fetched in clear text',
    detail: '{url} is one of the addresses on the way to it. The network can replace the contact there.',
    fix: 'Serve the file over https, and redirect to https addresses only.',
    references: ['RFC 9116 §3'],
  },
  'security-txt-legacy-location': {
    severity: 'info',
    title: 'security.txt is only at its old place',
    detail: 'It is at {url}. Some clients only look at /.well-known/security.txt.',
    fix: 'Publish it at /.well-known/security.txt, and redirect the old address there.',
    references: ['RFC 9116 §3'],
  },
  'security-txt-other-site': {
    severity: 'info',
    title: 'security.txt is served by another site',
    detail: '{from} redirects to {url}, which belongs to {site}. Readers must be sure that this is intended.',
    fix: 'You do not need to do anything if that site is yours. Its Canonical fields can list both addresses.',
    references: ['RFC 9116 §5.1'],
  },
  'security-txt-line-invalid': {
    severity: 'info',
    title: 'security.txt has a line that is not a field',
    detail: 'Line {line} of {url} is neither a field ("Name: value") nor a comment.',
    fix: 'Correct the line, or begin it with # to make it a comment.',
    references: ['RFC 9116 §4'],
  },
});

/** What robots.txt tells crawlers. It protects from nothing, so it only informs. */
export const robotsRules = inGroup('site-files', {
  'robots-disallows-all': {
    severity: 'info',
    title: 'robots.txt keeps all crawlers out',
    detail:
      '{url} forbids every address to crawlers that have no rules of their own; search engines drop the site.',
    fix: 'You do not need to do anything if this is intended. Otherwise remove "Disallow: /" from the group of "User-agent: *".',
    references: ['RFC 9309 §2.2.2'],
  },
  'robots-not-parseable': {
    severity: 'info',
    title: 'Crawlers cannot read robots.txt',
    detail: '{url} answers {status}, but {reason}. Crawlers ignore it and ask for everything.',
    fix: 'Serve a text file with User-agent, Allow and Disallow lines, or answer 404.',
    references: ['RFC 9309 §2.2', 'RFC 9309 §2.3.1'],
  },
});
