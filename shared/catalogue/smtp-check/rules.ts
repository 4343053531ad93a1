import type { Rule } from '../../model/verdict.ts';

/**
 * Everything that can be wrong with how mail hosts are reached. Points: 50 senders that check refuse to deliver; 20 mail travels in clear
 * text or is not taken; 9 what protects it is weak; 2 costs little; 0 informs.
 * What a host says to us alone (a limit, a refusal, a delay) is never held against the domain.
 */
export const rules = {
  'target-address-not-allowed': {
    part: 'connection',
    severity: 'high',
    points: 20,
    title: 'A mail host leads to an address that is not public',
    detail: '{host} resolves to a private or reserved address; no connection was made.',
    fix: 'Point the name at a public address. Senders on the internet cannot reach this one.',
    references: ['RFC 6890 §2.2.2', 'RFC 5321 §5.1'],
  },
  'mail-host-unreachable': {
    part: 'connection',
    severity: 'medium',
    points: 9,
    title: 'A mail host does not accept connections',
    detail:
      '{host} cannot be reached on port 25 at any of its addresses: {reason}. Senders try it, wait, and go on to the next host if there is one.',
    fix: 'Start the mail server, open port 25 in its firewall, or take the host out of the MX records.',
    references: ['RFC 5321 §5.1', 'RFC 5321 §4.5.4.1'],
  },
  'mail-host-address-unreachable': {
    part: 'connection',
    severity: 'low',
    points: 2,
    title: 'One address of a mail host does not accept connections',
    detail:
      '{host} cannot be reached on port 25 at {address}: {reason}. Other addresses of the host answer; senders that try this one first lose time.',
    fix: 'Let the mail server listen at this address, open its firewall, or remove the address record.',
    references: ['RFC 5321 §5.1'],
  },
  'mail-host-not-smtp': {
    part: 'connection',
    severity: 'high',
    points: 20,
    title: 'A mail host does not speak SMTP',
    detail:
      '{host} ({address}) answers a connection to port 25 with something else: {reason}. No mail can be delivered there.',
    fix: 'Find out what listens on port 25 of this host. Only a mail server may.',
    references: ['RFC 5321 §3.1', 'RFC 5321 §4.2'],
  },
  'mail-host-declined': {
    part: 'connection',
    severity: 'info',
    points: 0,
    title: 'A mail host did not talk to this service',
    detail:
      '{host} ({address}) declined: {reason}. This says something about us or the moment, and nothing about other senders, so the host was not tested there.',
    fix: 'Nothing has to be fixed. To have the host tested, allow this service’s address, or ask again later.',
    references: ['RFC 5321 §3.1', 'RFC 5321 §4.2.1'],
  },
  'greeting-name-missing': {
    part: 'greeting',
    severity: 'info',
    points: 0,
    title: 'A mail host does not say its name',
    detail: '{host} ({address}) greets without a host name: {greeting}',
    fix: 'Set the host name of the mail server (myhostname in Postfix, primary_hostname in Exim). If a firewall rewrites the greeting, turn that off.',
    references: ['RFC 5321 §4.2', 'RFC 5321 §4.3.1'],
  },
  'ehlo-unsupported': {
    part: 'greeting',
    severity: 'medium',
    points: 9,
    title: 'A mail host does not know EHLO',
    detail:
      '{host} ({address}) answers EHLO with {reply}. Without extensions there is no encryption, no size limit and no international address.',
    fix: 'Update the mail server. If a firewall or proxy stands before it that filters SMTP commands, turn that off.',
    references: ['RFC 5321 §2.2.1', 'RFC 5321 §3.2'],
  },
  'starttls-missing': {
    part: 'starttls',
    severity: 'high',
    points: 20,
    title: 'A mail host offers no encryption',
    detail:
      '{host} ({address}) does not offer STARTTLS{cause}. Everybody on the way can read and change the mail that is delivered there.',
    fix: 'Give the mail server a certificate and turn on STARTTLS (smtpd_tls_security_level in Postfix, tls_advertise_hosts in Exim). If a firewall removes STARTTLS from the answer, turn that off.',
    references: ['RFC 3207 §4', 'RFC 7435 §3'],
  },
  'starttls-broken': {
    part: 'starttls',
    severity: 'high',
    points: 20,
    title: 'A mail host offers encryption that does not work',
    detail:
      '{host} ({address}) offers STARTTLS, but {reason}. Senders fall back to clear text, or do not deliver at all.',
    fix: 'Look into the log of the mail server for the failed handshake. A missing or unreadable key and certificate are the usual cause.',
    references: ['RFC 3207 §4', 'RFC 3207 §4.1'],
  },
  'starttls-offered-again': {
    part: 'starttls',
    severity: 'info',
    points: 0,
    title: 'A mail host offers STARTTLS inside an encrypted connection',
    detail: '{host} ({address}) lists STARTTLS again after the handshake.',
    fix: 'Update the mail server, or the proxy that ends TLS before it.',
    references: ['RFC 3207 §4.2'],
  },
  'starttls-early-bytes': {
    part: 'starttls',
    severity: 'low',
    points: 2,
    title: 'A mail host sends clear text between STARTTLS and the handshake',
    detail:
      '{host} ({address}) sent {bytes} bytes after its reply to STARTTLS and before the handshake. Clients that read them take them for encrypted.',
    fix: 'Update the mail server: nothing may follow the reply to STARTTLS but the handshake.',
    references: ['RFC 3207 §4', 'RFC 3207 §6'],
  },
  'smtp-tls12-missing': {
    part: 'tls',
    severity: 'medium',
    points: 9,
    title: 'A mail host only speaks outdated versions of TLS',
    detail: '{host} ({address}) speaks {protocol} at best. Senders with current settings cannot encrypt.',
    fix: 'Update the mail server or its TLS library, and allow TLS 1.2 and 1.3.',
    references: ['RFC 8996 §2', 'RFC 9325 §3.1.1'],
  },
  'smtp-tls-old-versions': {
    part: 'tls',
    severity: 'low',
    points: 2,
    title: 'A mail host still accepts outdated versions of TLS',
    detail:
      '{host} ({address}) accepts {protocol}. For a sender that would otherwise use clear text this is still better; hardly any is left.',
    fix: 'Allow TLS 1.2 and newer only (smtpd_tls_protocols in Postfix, openssl_options in Exim).',
    references: ['RFC 8996 §2', 'RFC 9325 §3.1.1'],
  },
  'smtp-suites-weak': {
    part: 'tls',
    severity: 'medium',
    points: 9,
    title: 'A mail host chooses a weak cipher suite',
    detail: '{host} ({address}) chose {suite} of all that was offered.',
    fix: 'Allow suites with AES-GCM or ChaCha20 only, and let the server choose.',
    references: ['RFC 9325 §4.1', 'RFC 9325 §4.2'],
  },
  'smtp-key-weak': {
    part: 'tls',
    severity: 'medium',
    points: 9,
    title: 'The certificate of a mail host has a short key',
    detail: '{host} ({address}) shows a certificate with a key of {bits} bits ({type}).',
    fix: 'Get a certificate with an RSA key of 2048 bits or more, or one on the curve P-256.',
    references: ['RFC 9325 §4.5'],
  },
  'smtp-certificate-unverified': {
    part: 'tls',
    severity: 'info',
    points: 0,
    title: 'The certificate of a mail host cannot be verified',
    detail:
      '{host} ({address}): {reason}. Senders encrypt all the same, as is usual for mail; they only cannot tell the host from an impostor.',
    fix: 'To let senders tell, publish TLSA records (DANE) in a signed zone, or get a certificate of a public CA and publish an MTA-STS policy.',
    references: ['RFC 3207 §4.1', 'RFC 7435 §3'],
  },
  'dane-certificate-mismatch': {
    part: 'dane',
    severity: 'critical',
    points: 50,
    title: 'The certificate of a mail host does not match its TLSA records',
    detail:
      '{host} ({address}): {reason}. Senders that check DANE do not deliver there: they keep the mail, and return it after days.',
    fix: 'Publish a TLSA record of the certificate that the host shows now, and keep the old one until the TTL is over. Before each change of the key, publish the record of the next one first.',
    references: ['RFC 7672 §3.1', 'RFC 7672 §2.2', 'RFC 7671 §8.1'],
  },
  'dane-starttls-missing': {
    part: 'dane',
    severity: 'critical',
    points: 50,
    title: 'A mail host has TLSA records but no working encryption',
    detail:
      '{host} ({address}) has signed TLSA records, but {reason}. Senders that check DANE do not deliver there.',
    fix: 'Turn on STARTTLS at this host, or remove the TLSA records until it works.',
    references: ['RFC 7672 §2.2'],
  },
  'mta-sts-host-refused': {
    part: 'mta-sts',
    severity: 'critical',
    points: 50,
    title: 'A mail host breaks the domain’s MTA-STS policy',
    detail:
      '{host} ({address}): {reason}. The policy says enforce, so senders that honour it, such as Google and Microsoft, do not deliver there.',
    fix: 'Give the host a certificate of a public CA that names it. Until then set the policy to testing, and change the id of the record.',
    references: ['RFC 8461 §4.1', 'RFC 8461 §4.2', 'RFC 8461 §5'],
  },
  'mta-sts-host-refused-testing': {
    part: 'mta-sts',
    severity: 'medium',
    points: 9,
    title: 'A mail host breaks the MTA-STS policy that is being tested',
    detail:
      '{host} ({address}): {reason}. The policy says testing, so mail is delivered, and senders report the failure (RFC 8460).',
    fix: 'Give the host a certificate of a public CA that names it, before the policy is set to enforce.',
    references: ['RFC 8461 §5', 'RFC 8461 §4.2', 'RFC 8460 §4.3'],
  },
  'mail-hosts-differ': {
    part: 'connection',
    severity: 'info',
    points: 0,
    title: 'Mail hosts differ in how they encrypt',
    detail: '{one} and {other} differ: {what}. Which one a sender meets is chance.',
    fix: 'Give all mail hosts the same settings, also the backup host and the IPv6 addresses.',
    references: ['RFC 5321 §5.1'],
  },
} as const satisfies Record<string, Rule>;

export type SmtpCode = keyof typeof rules;
