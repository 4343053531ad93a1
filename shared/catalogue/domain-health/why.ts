import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about a whole domain matters. */
export const healthWhys = whysOf(rules, {
  [commonWhys.domainMissing]: ['domain-not-found'],
  'Nobody can open the website, in whatever form they type its address. Every visit is lost until it is fixed.':
    ['entry-points-all-broken', 'web-server-missing'],
  [commonWhys.unreachable]: ['page-not-seen'],
  'Visitors see a warning or an error, or an attacker on the network can read their connection. It affects everyone who opens the site over https.':
    ['ssl-failed'],
  [commonWhys.domainBogus]: ['dnssec-bogus'],
  [commonWhys.httpsMissing]: ['https-missing'],
  [commonWhys.addressNotPublic]: ['target-address-not-allowed'],
  [commonWhys.notUpgraded]: ['http-not-upgraded'],
  [commonWhys.downgraded]: ['https-downgrade'],
  'Lookups of the domain fail or go to the wrong servers. Visitors cannot open the site and mail to you does not arrive, for some people or for all.':
    ['delegation-broken'],
  [commonWhys.oneNameServer]: ['name-server-alone'],
  [commonWhys.mailLost]: ['mail-lost'],
  'A fault of the worst kind is open, and good marks elsewhere do not make up for it. The report of that area says whether it hits visitors or people who write to you.':
    ['finding-critical'],
  'One serious fault or several smaller ones add up in this area. Its report says whether they hit visitors or people who write to you.':
    ['category-failed', 'category-poor'],
  [commonWhys.spfAllowsAll]: ['spf-all-pass'],
  [commonWhys.dmarcMissing]: ['dmarc-missing'],
  'People who use this form of the address may see an error instead of the site. They believe that it is down, although it may work in another form.':
    ['entry-point-broken', 'entry-point-error-status'],
  [commonWhys.certificateRefused]: ['entry-point-certificate-not-trusted'],
  'Visitors get different sites, or the same one twice, depending on how they type the address. Search engines can list both, and a login at one does not count at the other.':
    ['entry-points-differ'],
  [commonWhys.firstHostUnprotected]: ['http-upgraded-elsewhere'],
  'Without renewal, website and mail stop, and later anyone can take the name. A stranger can then receive your mail and deceive your customers.':
    ['registration-expired', 'registration-expires-within-days', 'registration-expires-soon'],
  'Website and mail stop working, at the latest after some days. Visitors and people who write to you cannot reach you until the registrar lifts it.':
    ['registration-on-hold'],
  'Website and mail stop working, and soon anyone can register the name. A stranger can then receive your mail and deceive your customers.':
    ['registration-redemption', 'registration-pending-delete'],
  'A change of name servers may not have gone through everywhere. If the registry’s list takes effect, visitors and mail may be sent to the wrong servers.':
    ['registration-name-servers-differ'],
  'A change of keys may not have gone through everywhere. If the registry’s list takes effect, people whose provider checks signatures may lose the domain.':
    ['registration-ds-differs'],
});
