/** Why a finding matters, where several checks have it. */
export const commonWhys = {
  domainMissing:
    'Nothing works under this name, neither a website nor mail. Everyone who opens it or writes to it gets an error.',
  addressMissing:
    'Browsers find no address to connect to, so the site does not open. Every visitor who uses this name gets an error.',
  addressNotPublic:
    'Such an address cannot be reached over the internet. Visitors who are sent there see an error or wait in vain.',
  unreachable:
    'If visitors meet the same, they see an error instead of the page. Those visits are lost until it is fixed.',
  notLookedAt:
    'This service did not look at the address. The report cannot tell you what visitors meet there.',
  blocksChecks:
    'The report says nothing about the page that visitors get, so faults there stay unknown to you. Search engines and other services can be turned away in the same way.',
  defaultPage:
    'Visitors find no site under this name. Until it is set up, they cannot tell whether the address is right.',
  errorStatus:
    'Visitors who get the same answer see an error instead of your page. Search engines drop such an address after a while.',
  noDocument:
    'People who open the address see raw content or a download instead of a page. If it is meant for programs only, nobody is harmed.',
  noPage:
    'Visitors see an error in the browser instead of your page. Search engines cannot list the page through this address either.',
  ipv6Broken:
    'Visitors who only have IPv6 cannot open the page. Others, often on mobile networks, wait until their browser falls back to IPv4.',
  addressFamiliesDiffer:
    'Some visitors get another page or less protection than you tested. Which one they get depends on their network.',
  ipv6Slow:
    'Most browsers prefer IPv6 where they have it. Visitors on such networks, often mobile ones, wait longer for each page.',
  httpsMissing:
    'Anyone on the same network can read and change what visitors see and type, including passwords. Browsers mark such a site as not secure, and customers turn away.',
  certificateRefused:
    'Visitors see a full-page warning instead of your site, and most turn back. Those who get past it cannot be sure that it is really your server.',
  notUpgraded:
    'People who type the address or follow an old link stay on an unencrypted page. Anyone on the same network can read and change what they see and type.',
  downgraded:
    'Visitors lose encryption on the way, although they had it. Anyone on the same network can then read and change what they see and type.',
  firstHostUnprotected:
    'Browsers do not learn to use https for the first host, so an attacker on the network can intercept later visits too. It hits people who type that address or follow an old link.',
  hstsMissing:
    'On a hostile network, such as public Wi-Fi, an attacker can keep a visitor on http and read or change everything. It hits people who type the address or follow an old http link.',
  hstsShort:
    'Browsers soon forget that the site is only for https. On a hostile network, an attacker can then intercept visitors who come back after a longer break.',
  domainBogus:
    'Many internet providers check the signatures of a domain, and their customers get no answer for this one. For them the site does not open, and their mail to you fails.',
  oneNameServer:
    'When this one server fails or is attacked, everything under the domain stops. Visitors cannot open the site, and mail to you is delayed.',
  mailLost:
    'Mail to the domain does not arrive. People who write to you get it back, often only after days, and you do not know that they wrote.',
  spfAllowsAll:
    'Forged mail in your name passes this check everywhere, and even a DMARC policy then lets it through. Customers and staff who receive it have little reason to doubt it.',
  dmarcMissing:
    'Receivers are not told to stop mail that is forged in your name. It can reach the inboxes of customers, partners and staff, who may fall for it.',
  mailHostUnusable:
    'Mail cannot be delivered there. Senders lose time on it, and if nothing else takes over, people who write to you get their mail back.',
  mtaStsHostRefused:
    'Large providers that follow the policy, such as Google and Microsoft, do not deliver to this host. If no other host takes the mail, the people who wrote get it back.',
  mtaStsTesting:
    'Nothing is lost while the policy is in test mode. Once it is enforced, Google, Microsoft and others stop delivering to this host, and mail to you is delayed or returned.',
} as const;
