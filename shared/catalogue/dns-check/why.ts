import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { mailWhys } from './mail/why.ts';
import { dnsRules } from './rules.ts';

const dnsWhys = whysOf(dnsRules, {
  [commonWhys.domainMissing]: ['domain-not-found'],
  'A fault behind the failed query stays unseen by this check. If others get no answer either, it also affects visitors or people who write to you.':
    ['lookup-failed'],
  'The record works for nobody outside your network. It can also tell an attacker how your internal machines are named.':
    ['record-name-not-public'],
  'Mail or visits go to the wrong host, although the record looks right to you. People who visit or write to you meet errors.':
    ['record-dot-missing'],
  'Website and mail can work for some people and fail for others, depending on which server their provider asks. Such faults hit customers at random and are hard to trace.':
    ['apex-cname'],
  'Visitors to this name get an error. A stranger who can claim the missing name, for example at a cloud provider, can publish pages under your domain.':
    ['cname-dangling'],
  [commonWhys.addressMissing]: ['cname-loop', 'https-record-target-missing'],
  'Each alias can add a lookup before the page starts to load. Visitors wait longer, and a fault at any provider in between makes the site unreachable.':
    ['cname-chain-long'],
  [commonWhys.addressNotPublic]: ['address-not-public'],
  'Mail goes to a different host depending on which name server answers. Messages to you can end up at an old provider, where nobody reads them.':
    ['mx-inconsistent-servers'],
  'Nearly every request waits for a new lookup. Visitors and people who write to you notice even a short outage of the name servers.':
    ['ttl-low'],
  'After a change or a mistake, people keep getting the old value for many days. Visitors and mail can end up at a server that you have left.':
    ['ttl-high'],
  'Browsers that read the record ignore it. Visitors lose the faster start over https, and cannot open the site if it has no other address.':
    ['https-record-invalid'],
  'A setting that you made for visitors has no effect in their browsers. They connect as if that part of the record were not there.':
    ['https-record-ignored'],
  'Browsers that follow the record lose time before they use the normal address. Their users wait longer for the page.':
    ['https-record-target-unused'],
  'Programs that look only for a normal address, such as older browsers and many apps, find none. Their users cannot open the site.':
    ['https-record-alone'],
  'Most or all browsers find no address to connect to. Their users cannot open the site.': [
    'https-record-no-address',
  ],
  'The website cannot be found, and mail waits at its senders until they give up. This affects every visitor and everyone who writes to you.':
    ['ns-none-answers'],
  'Lookups that try this server first lose time before they turn to another. Visitors wait, and the domain has one server less in reserve.':
    ['ns-silent', 'ns-lame', 'ns-address-not-public'],
  'If the server refuses everyone, lookups that start there lose time before they try another. Visitors wait, and the domain has one server less in reserve.':
    ['ns-refused'],
  'Some or all resolvers cannot use this server, so fewer servers carry the domain. Visitors and people who write to you notice it when the others fail.':
    ['ns-without-address', 'ns-cname-target', 'ns-name-invalid'],
  'Lookups of this kind fail at this server, or find nothing where there is something. Depending on the record, visitors or mail to you are affected from time to time.':
    ['ns-type-failed'],
  [commonWhys.oneNameServer]: ['ns-single', 'ns-same-address'],
  'The domain looks safer against an outage than it is. If that server fails, visitors and mail depend on fewer others than you count on.':
    ['ns-shared-address'],
  'A fault of that network, or an attack on it, takes the whole domain offline. Visitors cannot open the site, and mail to you is delayed.':
    ['ns-same-prefix'],
  'Long answers from this server, such as signed ones, do not get through. Visitors and mail servers that need one wait longer or get an error.':
    ['ns-tcp-missing'],
  'Long answers from this server take a detour, and signed ones do not arrive at all. Visitors wait longer, or get an error where the domain is signed.':
    ['ns-edns-broken'],
  'Resolvers that protect themselves against forged answers must ask this server again, or give up that protection. Their users wait longer.':
    ['ns-edns-option-broken', 'ns-letter-case-broken'],
  'Attackers can use the server to flood other networks with traffic. The victims suffer first, then you, when the server gets slow or is blocked.':
    ['ns-open-recursion'],
  'Resolvers that only use IPv4, which is still common, do not find the domain. For the people behind them neither the website nor mail works.':
    ['ns-no-ipv4'],
  'Resolvers that only have IPv6 need a translation service to find the domain. Without one, the people behind them cannot open the site.':
    ['ns-no-ipv6'],
  'Attackers can misuse these answers, which are larger than the questions, to flood other networks. The owners of those networks suffer, and they may block your server.':
    ['ns-upward-referral'],
  'A stranger gets all your host names in one request, including internal and forgotten ones. Attackers then know at once which of your machines to try.':
    ['zone-transfer-open'],
  'Lookups can go to a server that is out of date or no longer yours. Visitors and mail then get old answers or none, by chance.':
    ['ns-inconsistent', 'ns-parent-inconsistent', 'ns-parent-child-mismatch'],
  'People are sent to one set of servers or to the other. Where the two differ, some visitors and some mail end up in the wrong place.':
    ['ns-parent-child-disjoint'],
  'For people whose lookup reaches one of those servers, the domain does not exist. They cannot open the site, and their mail to you comes back.':
    ['ns-parent-denies'],
  'Lookups go to an address that your name server may have left. Visitors wait longer, and someone else who has that address now can answer for your domain.':
    ['ns-glue-mismatch'],
  'One path to the name servers stays unused. Resolvers that could only use that address, for example over IPv6, do not find the domain for their users.':
    ['ns-glue-incomplete'],
  'Resolvers cannot find this name server. If no other one steps in, visitors cannot open the site and mail to you fails.':
    ['ns-glue-missing'],
  'The servers may differ in other records too. Visitors and mail then get old or new answers by chance, and some end up at an old server.':
    ['soa-serial-mismatch', 'soa-fields-mismatch'],
  'Secondary servers ask for changes more often than needed. It costs you and your provider load, and visitors gain nothing.':
    ['soa-refresh-range'],
  'After a failed copy, secondary servers ask again too often or too late. It costs your servers load, or visitors get old records for longer.':
    ['soa-retry-range'],
  'When the primary server is away for a while, the secondary ones soon stop answering too. Visitors and mail then lose the domain, although servers still run.':
    ['soa-expire-range'],
  'A name that you just created stays invisible for long, or each typing error reaches your servers. It affects people who ask for new or wrong names.':
    ['soa-minimum-range'],
  'Programs that change records automatically may not find the server for it. It affects the people who manage the domain, not its visitors.':
    ['soa-mname-alias', 'soa-mname-without-address'],
  'A stranger who notices a fault or abuse of your domain cannot warn you at this address. You learn of it late, perhaps from your customers.':
    ['soa-rname-invalid', 'soa-rname-no-mail'],
  'Many internet providers check these signatures and reject the answer. Their customers cannot use what depends on it: the site does not open, or mail does not arrive.':
    ['dnssec-bogus', 'dnssec-signature-invalid'],
  [commonWhys.domainBogus]: ['dnssec-ds-without-key'],
  'Nothing fails today, but a change of keys was not finished. If the other entries go out of date too, people whose provider checks signatures lose the domain.':
    ['dnssec-ds-stale'],
  'Lookups fail only when they reach this server, so the trouble comes and goes. Visitors whose provider checks signatures wait or get an error.':
    ['dnssec-server-signature-invalid', 'dnssec-server-denial-invalid'],
  'A question for something that you do not have ends in an error instead of a clear no. Browsers and mail servers wait or give up, and their users may not reach you.':
    ['dnssec-denial-invalid'],
  'Some resolvers take names or records for missing that are there. The people behind them cannot use these, while others can.':
    ['dnssec-denial-hides'],
  'A resolver can mix keys from one server with signatures from another and then reject the domain. The people behind it get no answer, at random times.':
    ['dnssec-keys-inconsistent'],
  'The registry can take over an entry that not all of your servers match. The domain then fails for people whose provider checks signatures.':
    ['dnssec-cds-inconsistent'],
  'Whether the domain can be verified depends on which server is asked. People whose provider checks signatures may lose the domain or its protection.':
    ['dnssec-ds-inconsistent'],
  'Strict resolvers can reject answers that lack an announced signature. The people behind them cannot reach the domain, while it works for most others.':
    ['dnssec-algorithm-not-signing'],
  'A planned change of keys may not reach the registry. If the old key is removed anyway, people whose provider checks signatures lose the domain.':
    ['dnssec-cds-unsigned', 'dnssec-cds-mismatch'],
  'If it runs out, providers that check signatures reject the answer. Their customers can no longer open the site or send you mail.':
    ['dnssec-signature-expires-today', 'dnssec-signature-expires-soon'],
  'Someone who controls a network can answer with false addresses. Visitors and mail servers then connect to a stranger, and only encryption with certificates stops the fraud.':
    ['dnssec-unsigned', 'dnssec-ds-missing'],
  'Resolvers that do not accept it may treat the domain as unsigned. The people behind them lose the protection against forged answers that you set up.':
    ['dnssec-algorithm-weak', 'dnssec-number-unknown'],
  'The signatures hold today, but software will stop accepting them over time. The people who use it then lose the protection against forged answers.':
    ['dnssec-algorithm-not-recommended'],
  'An attacker with very large means can break such a key and sign forged answers. Visitors and mail servers would take them for real.':
    ['dnssec-key-short'],
  'Some resolvers treat such a zone as unsigned or reject its answers. The people behind them lose the protection against forgery, or get an error.':
    ['dnssec-nsec3-iterations'],
  'The authority that issues your certificates may refuse the next one. When the current one expires, visitors see a warning instead of your site.':
    [
      'caa-lookup-failed',
      'caa-unknown-critical',
      'caa-value-malformed',
      'caa-methods-none-known',
      'caa-issuer-misspelt',
    ],
  'A certificate that is requested by the intended method can be refused. You notice it at the next renewal, and visitors do when the old one expires.':
    ['caa-method-unknown'],
  'A limit that you meant to set does not count. It becomes easier for an attacker to get a certificate for your name and pose as your site to visitors.':
    ['caa-parameter-misspelt'],
  'The certificate authority cannot use this contact to confirm a request. A certificate that depends on it is delayed, which affects the people who manage your site.':
    ['caa-contact-invalid'],
  'You hear nothing when an authority refuses a certificate for your domain. If a stranger asked for it, the attempt stays unnoticed.':
    ['caa-iodef-invalid'],
  'What you wanted to allow or forbid with this line does not count. You may rely on a limit for certificates that is not there.':
    ['caa-tag-unknown'],
});

/** Why each finding about a domain's DNS and mail matters. */
export const dnsCheckWhys = { ...dnsWhys, ...mailWhys };
