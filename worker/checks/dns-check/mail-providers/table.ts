import { gateways, senders } from './gateways-and-senders.ts';
import type { Provider } from './provider.ts';

/** The day when the rows were last read from their sources. */
export const providersListedOn = '2026-11-22';

// Read on 2026-11-22 and 2026-11-23. These services show their records only after a login: theirs were read in several zones that customers
// of theirs keep in public repositories, which all agree.
const publishedZones = 'zones of its customers in public repositories';

/** Services with mailboxes: they take mail for a domain, and send it. */
const mailboxes: readonly Provider[] = [
  {
    name: 'Google Workspace',
    source: 'https://knowledge.workspace.google.com/admin/security/set-up-spf',
    mx: ['google.com', 'googlemail.com'],
    include: '_spf.google.com',
    aka: ['google.com', 'googlemail.com'],
    selectors: ['google'],
    sts: ['*.google.com', '*.googlemail.com', '*.aspmx.l.google.com', '*.l.google.com'],
  },
  {
    name: 'Microsoft 365',
    source: 'https://learn.microsoft.com/defender-office-365/email-authentication-spf-configure',
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
    include: 'spf.protection.outlook.com',
    aka: ['outlook.com'],
    selectors: ['selector1', 'selector2'],
    sts: ['*.mail.protection.outlook.com', '*.mx.microsoft'],
  },
  {
    name: 'Microsoft 365 (US government)',
    source: 'https://learn.microsoft.com/microsoft-365/enterprise/dns-records-for-office-365-gcc-high',
    mx: ['mail.protection.office365.us'],
    include: 'spf.protection.office365.us',
    selectors: ['selector1', 'selector2'],
  },
  {
    name: 'Microsoft 365 (21Vianet)',
    source: 'https://learn.microsoft.com/microsoft-365/admin/services-in-china/',
    mx: ['mail.protection.partner.outlook.cn'],
    include: 'spf.protection.partner.outlook.cn',
    selectors: ['selector1', 'selector2'],
  },
  {
    name: 'Proton Mail',
    source: 'https://proton.me/support/anti-spoofing-custom-domain',
    mx: ['protonmail.ch'],
    include: '_spf.protonmail.ch',
    selectors: ['protonmail', 'protonmail2', 'protonmail3'],
  },
  {
    name: 'Fastmail',
    source: 'https://www.fastmail.help/hc/en-us/articles/360060591153',
    mx: ['messagingengine.com'],
    include: 'spf.messagingengine.com',
    selectors: ['fm1', 'fm2', 'fm3', 'fm4'],
    aliases: ['fm1', 'fm2', 'fm3'].map((selector) => [selector, `${selector}.{domain}.dkim.fmhosted.com`]),
  },
  {
    name: 'Zoho Mail',
    source: 'https://www.zoho.com/mail/help/adminconsole/spf-configuration.html',
    mx: ['zoho.com', 'zohomail.com'],
    include: 'zohomail.com',
    aka: ['zoho.com'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (EU)',
    source: 'https://www.zoho.com/mail/help/adminconsole/spf-configuration.html',
    mx: ['zoho.eu'],
    include: 'zohomail.eu',
    aka: ['zoho.eu'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (India)',
    source: 'https://www.zoho.com/mail/help/adminconsole/spf-configuration.html',
    mx: ['zoho.in'],
    include: 'zohomail.in',
    aka: ['zoho.in'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (Australia)',
    source: 'https://www.zoho.com/mail/help/adminconsole/spf-configuration.html',
    mx: ['zoho.com.au'],
    include: 'zohomail.com.au',
    aka: ['zoho.com.au'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'iCloud Mail',
    source: 'https://support.apple.com/102374',
    mx: ['mail.icloud.com'],
    include: 'icloud.com',
    selectors: ['sig1'],
    aliases: [['sig1', 'sig1.dkim.{domain}.at.icloudmailadmin.com']],
  },
  {
    name: 'IONOS (EU)',
    source: 'https://www.ionos.com/help/domains/',
    mx: ['ionos.de', 'ionos.co.uk', 'ionos.fr', 'ionos.es', 'ionos.it', 'kundenserver.de'],
    include: '_spf-eu.ionos.com',
    aka: ['kundenserver.de'],
    selectors: ['s1-ionos', 's2-ionos', 's42582890'],
    aliases: [
      ['s1-ionos', 's1.dkim.ionos.com'],
      ['s2-ionos', 's2.dkim.ionos.com'],
      ['s42582890', 's42582890.dkim.ionos.com'],
    ],
  },
  {
    name: 'IONOS (US)',
    source: 'https://www.ionos.com/help/domains/',
    mx: ['ionos.com', 'perfora.net', '1and1.com'],
    include: '_spf-us.ionos.com',
    aka: ['ionos.com', 'perfora.net'],
    selectors: ['s1-ionos', 's2-ionos'],
    aliases: [
      ['s1-ionos', 's1.dkim.ionos.com'],
      ['s2-ionos', 's2.dkim.ionos.com'],
    ],
  },
  {
    name: 'STRATO',
    source: 'https://www.strato.de/faq/',
    mx: ['rzone.de'],
    include: '_spf.strato.com',
    aka: ['rzone.de', 'strato.com', 'strato.de'],
    selectors: ['strato-dkim-0002', 'strato-dkim-0003'],
  },
  {
    name: 'OVHcloud',
    source: 'https://help.ovhcloud.com/csm/en-dns-spf-record',
    mx: ['mail.ovh.net', 'mail.ovh.ca'],
    include: 'mx.ovh.com',
    aka: ['mx.ovh.ca'],
  },
  {
    name: 'Gandi',
    source: 'https://helpdesk.gandi.net/hc/en-us/articles/14001808469404',
    mx: ['mail.gandi.net'],
    include: '_mailcust.gandi.net',
    aka: ['gandi.net'],
    selectors: ['gm1', 'gm2', 'gm3'],
    aliases: ['gm1', 'gm2', 'gm3'].map((selector) => [selector, `${selector}.gandimail.net`]),
  },
  {
    name: 'Infomaniak',
    source: 'https://www.infomaniak.com/en/support/faq/2199/manage-spf-records',
    mx: ['infomaniak.ch', 'infomaniak.com'],
    include: 'spf.infomaniak.ch',
  },
  {
    name: 'Hostinger',
    source: 'https://support.hostinger.com/en/articles/1583673',
    mx: ['hostinger.com'],
    include: '_spf.mail.hostinger.com',
    aka: ['hostinger.com'],
    selectors: ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
    aliases: ['a', 'b', 'c'].map((letter) => [
      `hostingermail-${letter}`,
      `hostingermail-${letter}.dkim.mail.hostinger.com`,
    ]),
  },
  {
    name: 'Private Email',
    source: 'https://www.namecheap.com/support/knowledgebase/article.aspx/1340/2176/',
    mx: ['privateemail.com'],
    include: 'spf.privateemail.com',
    aka: ['web-hosting.com'],
    selectors: ['default'],
  },
  {
    name: 'GoDaddy',
    source: 'https://www.godaddy.com/help/use-spf-records-to-prevent-spoofing-and-ensure-mail-delivery-40499',
    mx: ['secureserver.net'],
    include: 'secureserver.net',
    selectors: ['secureserver1', 'secureserver2'],
  },
  {
    name: 'Titan',
    source: publishedZones,
    mx: ['titan.email'],
    include: 'spf.titan.email',
    selectors: ['titan1', 'titan2'],
  },
  {
    name: 'Rackspace Email',
    source: 'https://docs.rackspace.com/',
    mx: ['emailsrvr.com'],
    include: 'emailsrvr.com',
  },
  {
    name: 'Yandex 360',
    source: 'https://yandex.com/support/yandex-360/business/',
    mx: ['yandex.net', 'yandex.ru'],
    include: '_spf.yandex.net',
    aka: ['yandex.ru'],
    selectors: ['mail'],
  },
  {
    name: 'VK WorkSpace',
    source: publishedZones,
    mx: ['emx.mail.ru'],
    include: '_spf.mail.ru',
    selectors: ['mailru'],
  },
  {
    name: 'Migadu',
    source: publishedZones,
    mx: ['migadu.com'],
    include: 'spf.migadu.com',
    selectors: ['key1', 'key2', 'key3'],
    aliases: ['key1', 'key2', 'key3'].map((selector) => [
      selector,
      `${selector}.{domain}._domainkey.migadu.com`,
    ]),
  },
  {
    name: 'mailbox.org',
    source:
      'https://kb.mailbox.org/en/private/custom-domains/spf-dkim-and-dmarc-how-to-improve-the-spam-reputation-of-your-domain',
    mx: ['mailbox.org'],
    include: 'mailbox.org',
    selectors: ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'],
    aliases: ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'].map((selector) => [
      selector,
      `${selector}._domainkey.mailbox.org`,
    ]),
  },
  {
    name: 'Tuta',
    source: publishedZones,
    mx: ['tutanota.de'],
    include: 'spf.tutanota.de',
    selectors: ['s1', 's2'],
    aliases: [
      ['s1', 's1.domainkey.tutanota.de'],
      ['s2', 's2.domainkey.tutanota.de'],
    ],
  },
  {
    name: 'Runbox',
    source: 'https://help.runbox.com/runbox-spf/',
    mx: ['runbox.com'],
    include: 'spf.runbox.com',
    selectors: ['selector1', 'selector2'],
  },
  {
    name: 'Purelymail',
    source: publishedZones,
    mx: ['purelymail.com'],
    include: '_spf.purelymail.com',
    selectors: ['purelymail1', 'purelymail2', 'purelymail3'],
    aliases: ['1', '2', '3'].map((number) => [`purelymail${number}`, `key${number}.dkimroot.purelymail.com`]),
  },
].map((row) => ({ ...row, isMailbox: true }) as Provider);

/** All services that are known. */
export const providers: readonly Provider[] = [...mailboxes, ...gateways, ...senders];
