import { whysOf } from '../../../model/why.ts';
import { commonWhys } from '../../common-whys.ts';
import { mailRules } from './rules.ts';

/** Why each finding about a domain's mail matters. */
export const mailWhys = whysOf(mailRules, {
  'It is easier to send mail that looks as if it came from this domain. The people who receive it, often your customers and staff, may fall for it.':
    ['spf-missing', 'spf-missing-parked', 'spf-record-ignored', 'spf-all-neutral', 'spf-no-all'],
  [commonWhys.spfAllowsAll]: ['spf-all-pass'],
  'Receivers treat the whole SPF policy as broken. Your own mail can be refused or land in spam at customers and partners, and forged mail is harder to spot.':
    [
      'spf-multiple',
      'spf-syntax',
      'spf-include-syntax',
      'spf-too-many-lookups',
      'spf-too-many-voids',
      'spf-mx-limit',
      'spf-loop',
      'spf-include-missing',
      'spf-redirect-missing',
    ],
  'A server that you meant to allow may not count as yours. Mail from it can be refused or land in spam at its recipients.':
    ['spf-mechanism-equals', 'spf-strings-run-together', 'spf-after-all', 'spf-redirect-ignored'],
  'If the term was meant to allow a sender, mail from there can be refused or land in spam. Otherwise it only confuses the people who maintain the record.':
    ['spf-modifier-unknown'],
  'Mail from your own servers counts as forged or suspect. At customers and partners it lands in spam or is refused.':
    ['spf-senders-shut-out', 'spf-senders-soft-failed'],
  'Receivers can delay your mail or go on without this check. Messages reach your recipients late or in spam, and forged ones are harder to spot.':
    ['spf-record-lookup-failed', 'spf-lookup-failed'],
  'One more service, or a change at one of your providers, can make the record invalid. Your own mail can then be refused or land in spam at its recipients.':
    ['spf-near-limit'],
  'It uses up lookups, of which a record may take only ten. You reach the limit sooner, and then your own mail can be refused or land in spam.':
    ['spf-include-empty', 'spf-include-contained'],
  'Nothing breaks for the people who get your mail. The extra entry makes mistakes likelier for those who maintain the domain.':
    ['spf-term-repeated', 'spf-type99'],
  'If someone else can register that name, their server may count as one of yours. They can then send mail to your customers in your name.':
    ['spf-name-missing'],
  'Many servers that are not yours count as yours. Someone who rents one of them can send mail in your name, and its recipients may fall for it.':
    ['spf-range-too-wide'],
  'The entry covers no sender that receivers can see. If it was meant for a server of yours, mail from there can be refused or land in spam.':
    ['spf-range-private'],
  'Some receivers ignore the term, so mail from a server that it should allow can land in spam. Others need longer to check your mail.':
    ['spf-ptr'],
  'Some receivers do not get the whole answer and cannot check your mail. It can then arrive late or land in spam at its recipients.':
    ['spf-record-size'],
  'The same mail can pass at one receiver and fail at the next. Some of your recipients find it in spam or do not get it, and the cause is hard to see.':
    ['spf-inconsistent-servers'],
  'Servers that you may no longer use still count as senders of this domain. People who get forged mail from there may take it for yours.':
    ['spf-not-closed'],
  [commonWhys.dmarcMissing]: [
    'dmarc-missing',
    'dmarc-alias-dangling',
    'dmarc-multiple',
    'dmarc-record-ignored',
    'dmarc-duplicate-tag',
    'dmarc-no-effect',
    'dmarc-wrong-place',
    'dmarc-policy-none',
    'dmarc-policy-fallback',
  ],
  'Some receivers do not get your policy and let forged mail in your name through. Their users, among them your customers, may fall for it.':
    ['dmarc-lookup-failed', 'dmarc-blank-first'],
  'The part that receivers ignore does nothing, whether it is about forged mail or about reports. You may rely on a setting that is not in force.':
    ['dmarc-syntax', 'dmarc-unknown-tag'],
  'Receivers skip the record, so it does no harm by itself. It misleads the people who maintain the domain, and can hide that no policy protects it.':
    ['dmarc-foreign-record'],
  'Receivers treat forged mail more mildly than your policy says. More of it reaches the people that it is meant to deceive.':
    ['dmarc-testing'],
  'An attacker can write from an address below your domain, which looks just as much like yours. Customers and staff who receive it may fall for it.':
    ['dmarc-subdomain-weaker', 'dmarc-nonexistent-weaker'],
  'All mail from this domain is forged, and some of it can still be delivered. People who know the name may fall for it.':
    ['dmarc-parked-not-reject'],
  'You do not see who sends mail in your name, or whether your own mail passes. Abuse and faults stay hidden until a customer tells you.':
    ['dmarc-rua-missing'],
  'Reports about mail in your name do not arrive at this address. You, or the service that reads them for you, may miss abuse and faults.':
    ['dmarc-rua-invalid', 'dmarc-rua-unauthorised', 'dmarc-rua-no-mail'],
  'Reports about single messages that failed do not arrive at this address. Few receivers send any, so it mostly matters to the person who looks for faults.':
    ['dmarc-ruf-invalid'],
  'Your subdomains no longer count as parts of one organization, so mail from them can fail although it is signed by the main domain. Recipients may find it in spam.':
    ['dmarc-psd-claimed'],
  'Mail from this domain has no signature in its name. Large mailbox providers may put it in spam or refuse it, so its recipients miss it.':
    ['dkim-none-possible'],
  'Receivers cannot verify mail that is signed with this key and treat it as unsigned. At your recipients it can land in spam or be refused.':
    [
      'dkim-selector-missing',
      'dkim-syntax',
      'dkim-key-invalid',
      'dkim-key-too-short',
      'dkim-key-type-unknown',
      'dkim-hash-sha1',
      'dkim-service-not-email',
    ],
  'At receivers that follow the setting, a signature with this key counts for nothing. Mail to your recipients can land in spam more easily.':
    ['dkim-test-mode'],
  'Mail that is signed with this key can pass at one receiver and fail at the next. Some of your recipients find it in spam or do not get it.':
    ['dkim-multiple'],
  'An attacker with enough computing power can find the key and sign mail as you. Recipients and their mail systems would take it for yours.':
    ['dkim-key-short'],
  'Someone who can create the missing name can sign mail as you. Customers and staff who receive it, and their mail systems, take it for yours.':
    ['dkim-alias-dangling'],
  [commonWhys.mailLost]: ['mx-lookup-failed', 'mx-none-reachable'],
  'Mail to the domain goes to the address of its website, where often no mail server runs. If none does, people who write to you get their mail back.':
    ['mx-implicit'],
  'Senders are not told clearly that the domain takes no mail. People who write to it by mistake may learn late that nobody gets their message.':
    ['mx-null-missing', 'mx-null-preference'],
  'Some senders deliver mail to you and others refuse to send it. A part of the people who write to you gets an error.':
    ['mx-null-mixed'],
  'Some receivers refuse mail from a domain that takes no answer. Your recipients do not get it, and errors cannot come back to you.':
    ['mx-null-sends'],
  'Some mail servers do not accept such an entry and do not deliver to it. Part of the people who write to you get their mail back.':
    ['mx-alias', 'mx-address-literal', 'mx-name-invalid'],
  [commonWhys.mailHostUnusable]: ['mx-no-address', 'mx-private-address'],
  'The second entry is no reserve, as both fail together. Senders can lose time on this host twice before they try another.':
    ['mx-duplicate'],
  'A short outage there only delays mail to you. After a longer one, senders give up, and the people who wrote get their mail back.':
    ['mx-single'],
  'Many mail servers only use IPv4 and cannot deliver to you. People who write from there get their mail back.':
    ['mx-no-ipv4'],
  'If this host also sends mail, many receivers refuse it or put it in spam. The people you write to do not get it.':
    ['ptr-missing', 'ptr-not-confirmed'],
  'Senders that rely on MTA-STS do not insist on encryption with you. An attacker on the network can then read or change mail to you without anyone noticing.':
    [
      'mta-sts-missing',
      'mta-sts-lookup-failed',
      'mta-sts-alias-dangling',
      'mta-sts-multiple',
      'mta-sts-record-syntax',
      'mta-sts-policy-unreachable',
      'mta-sts-certificate',
      'mta-sts-redirect',
      'mta-sts-policy-invalid',
      'mta-sts-testing',
      'mta-sts-mode-none',
      'mta-sts-record-missing',
    ],
  'Strict senders do not accept the policy and deliver as if there were none. On the way from them, an attacker on the network can read or change mail to you.':
    ['mta-sts-content-type'],
  'Large providers that follow the policy, such as Google and Microsoft, cannot deliver to you at all. People who write from there get their mail back.':
    ['mta-sts-mx-mismatch'],
  [commonWhys.mtaStsHostRefused]: ['mta-sts-mx-partly'],
  [commonWhys.mtaStsTesting]: ['mta-sts-mx-mismatch-testing'],
  'If the line is meant for a mail host, senders that follow the policy may refuse to deliver to that host. Mail to you is then delayed or returned.':
    ['mta-sts-mx-address'],
  'Senders soon forget the policy and must fetch it again. An attacker on the network who blocks that for a while can read or change mail to you.':
    ['mta-sts-max-age-short'],
  'Senders that check these records hold mail to you back and return it after some days. The people who wrote do not reach you.':
    ['dane-lookup-failed'],
  'An attacker on the network can steer senders to the host without protection. There they can read or change mail to you.':
    ['dane-partial'],
  'This record protects nobody. Unless another one does, an attacker on the network can read or change mail to you.':
    ['dane-without-dnssec', 'dane-unusable', 'dane-bad-length'],
  'You may not learn that encrypted delivery to you fails or is attacked. Mail can be late for days before you hear of it from the people who wrote.':
    ['tls-rpt-missing', 'tls-rpt-multiple', 'tls-rpt-syntax', 'tls-rpt-rua-no-mail'],
  'Some or all mail programs do not show your logo beside your messages. Your recipients miss a sign that helps them to recognize mail from you.':
    [
      'bimi-multiple',
      'bimi-syntax',
      'bimi-without-dmarc',
      'bimi-logo-unreachable',
      'bimi-logo-not-svg',
      'bimi-logo-not-tiny-ps',
      'bimi-certificate-unreachable',
      'bimi-certificate-not-mark',
      'bimi-certificate-not-valid-now',
      'bimi-certificate-other-domain',
      'bimi-certificate-chain-broken',
    ],
});
