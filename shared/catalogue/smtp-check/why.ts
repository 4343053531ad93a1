import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about a mail host matters. */
export const smtpWhys = whysOf(rules, {
  [commonWhys.mailHostUnusable]: [
    'target-address-not-allowed',
    'mail-host-unreachable',
    'mail-host-not-smtp',
  ],
  'Senders that try this address first lose time before they use another. Mail to you arrives later, and there is one address less in reserve.':
    ['mail-host-address-unreachable'],
  'Mail to this host travels unencrypted. Anyone on the way can read or change what people write to you.': [
    'ehlo-unsupported',
    'starttls-missing',
  ],
  'Senders send unencrypted mail, or do not deliver at all. What people write to you can be read on the way, or comes back to them.':
    ['starttls-broken', 'smtp-tls12-missing'],
  'An attacker on the network can hide text of their own in what senders take for encrypted. Senders that do not notice it can be misled, and mail to you can be disturbed.':
    ['starttls-early-bytes'],
  'Mail from very old servers arrives with outdated encryption. An attacker on the way can read what people write to you from there more easily.':
    ['smtp-tls-old-versions'],
  'Mail arrives with weak encryption, although senders offer better. An attacker who records it needs less effort to read what people write to you.':
    ['smtp-suites-weak'],
  'An attacker with very large means can break the key and pose as this mail host. They can then read what people write to you.':
    ['smtp-key-weak'],
  'Senders that check these records do not deliver to this host. Unless another host takes the mail, people who write from there get it back after days.':
    ['dane-certificate-mismatch', 'dane-starttls-missing'],
  [commonWhys.mtaStsHostRefused]: ['mta-sts-host-refused'],
  [commonWhys.mtaStsTesting]: ['mta-sts-host-refused-testing'],
});
