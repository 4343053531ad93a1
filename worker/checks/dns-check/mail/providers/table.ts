/** What a mail service tells its customers to publish. */
export type Provider = {
  readonly name: string;
  /** Suffixes of the mail hosts that it gives to customers. */
  readonly mx?: readonly string[];
  /** The name whose SPF record lists its outgoing servers; absent where there is no such name, or it depends on the account. */
  readonly include?: string;
  /** Who gets the mail also sends it. False for filters and forwarders: what stands behind them is not known. */
  readonly isMailbox?: true;
  /** More names by which SPF records name it. */
  readonly aka?: readonly string[];
  readonly selectors?: readonly string[];
  /** Where the selectors lead as aliases; "{domain}" stands for the customer's. Absent where that depends on the account. */
  readonly aliases?: readonly (readonly [selector: string, target: string])[];
  /** Lines of an MTA-STS policy that go on to fit when it adds hosts. */
  readonly sts?: readonly string[];
  /** Hosts that take reports of DMARC or TLS for customers, who switch that on in its settings. */
  readonly reports?: readonly string[];
};

/** The day when the rows were last compared with the pages below. */
export const providersListedOn = '2026-11-22';

// The rows of Cloudflare, IONOS, STRATO and Zoho were compared with the help pages of the services, the others
// are what is generally known of them: compare a row with its page when you touch it.
// https://knowledge.workspace.google.com/admin/security/set-up-spf
// https://learn.microsoft.com/defender-office-365/email-authentication-spf-configure
// https://developers.cloudflare.com/email-routing/postmaster/
// https://proton.me/support/custom-domain
// https://www.fastmail.help/hc/en-us/articles/360060591153
// https://www.zoho.com/mail/help/adminconsole/spf-configuration.html
// https://support.apple.com/en-us/102374
// https://www.ionos.com/help/domains/
// https://www.strato.de/faq/
// https://help.ovhcloud.com/
// https://docs.gandi.net/en/domain_names/faq/record_types/spf_record.html
// https://www.infomaniak.com/en/support/faq
// https://docs.aws.amazon.com/ses/latest/dg/
// https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication
// https://documentation.mailgun.com/docs/mailgun/user-manual/domains/

/** Services with mailboxes: they take mail for a domain, and send it. */
const mailboxes: readonly Provider[] = [
  {
    name: 'Google Workspace',
    mx: ['google.com', 'googlemail.com'],
    include: '_spf.google.com',
    aka: ['google.com', 'googlemail.com'],
    selectors: ['google'],
    sts: ['*.google.com', '*.googlemail.com', '*.aspmx.l.google.com', '*.l.google.com'],
  },
  {
    name: 'Microsoft 365',
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
    include: 'spf.protection.outlook.com',
    aka: ['outlook.com'],
    selectors: ['selector1', 'selector2'],
    sts: ['*.mail.protection.outlook.com', '*.mx.microsoft'],
  },
  {
    name: 'Microsoft 365 (US government)',
    mx: ['mail.protection.office365.us'],
    include: 'spf.protection.office365.us',
    selectors: ['selector1', 'selector2'],
  },
  {
    name: 'Microsoft 365 (21Vianet)',
    mx: ['mail.protection.partner.outlook.cn'],
    include: 'spf.protection.partner.outlook.cn',
    selectors: ['selector1', 'selector2'],
  },
  {
    name: 'Proton Mail',
    mx: ['protonmail.ch'],
    include: '_spf.protonmail.ch',
    selectors: ['protonmail', 'protonmail2', 'protonmail3'],
  },
  {
    name: 'Fastmail',
    mx: ['messagingengine.com'],
    include: 'spf.messagingengine.com',
    selectors: ['fm1', 'fm2', 'fm3', 'fm4'],
    aliases: ['fm1', 'fm2', 'fm3', 'fm4'].map((selector) => [
      selector,
      `${selector}.{domain}.dkim.fmhosted.com`,
    ]),
  },
  {
    name: 'Zoho Mail',
    mx: ['zoho.com', 'zohomail.com'],
    include: 'zohomail.com',
    aka: ['zoho.com'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (EU)',
    mx: ['zoho.eu'],
    include: 'zohomail.eu',
    aka: ['zoho.eu'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (India)',
    mx: ['zoho.in'],
    include: 'zohomail.in',
    aka: ['zoho.in'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'Zoho Mail (Australia)',
    mx: ['zoho.com.au'],
    include: 'zohomail.com.au',
    aka: ['zoho.com.au'],
    selectors: ['zmail', 'zoho'],
  },
  {
    name: 'iCloud Mail',
    mx: ['mail.icloud.com'],
    include: 'icloud.com',
    selectors: ['sig1'],
    aliases: [['sig1', 'sig1.dkim.{domain}.at.icloudmailadmin.com']],
  },
  {
    name: 'IONOS (EU)',
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
    mx: ['rzone.de'],
    include: '_spf.strato.com',
    aka: ['rzone.de', 'strato.com', 'strato.de'],
    selectors: ['strato-dkim-0002', 'strato-dkim-0003'],
    aliases: [
      ['strato-dkim-0002', 'strato-dkim-0002._domainkey.rzone.de'],
      ['strato-dkim-0003', 'strato-dkim-0003._domainkey.rzone.de'],
    ],
  },
  { name: 'OVHcloud', mx: ['mail.ovh.net', 'mail.ovh.ca'], include: 'mx.ovh.com', aka: ['mx.ovh.ca'] },
  {
    name: 'Gandi',
    mx: ['mail.gandi.net'],
    include: '_mailcust.gandi.net',
    aka: ['gandi.net'],
    selectors: ['gm1', 'gm2', 'gm3'],
    aliases: ['gm1', 'gm2', 'gm3'].map((selector) => [selector, `${selector}.gandimail.net`]),
  },
  { name: 'Infomaniak', mx: ['infomaniak.ch', 'infomaniak.com'], include: 'spf.infomaniak.ch' },
  {
    name: 'Hostinger',
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
    mx: ['privateemail.com'],
    include: 'spf.privateemail.com',
    aka: ['web-hosting.com'],
    selectors: ['default'],
  },
  {
    name: 'GoDaddy',
    mx: ['secureserver.net'],
    include: 'secureserver.net',
    selectors: ['secureserver1', 'secureserver2'],
  },
  { name: 'Titan', mx: ['titan.email'], include: 'spf.titan.email', selectors: ['titan1', 'titan2'] },
  { name: 'Rackspace Email', mx: ['emailsrvr.com'], include: 'emailsrvr.com' },
  {
    name: 'Yandex 360',
    mx: ['yandex.net', 'yandex.ru'],
    include: '_spf.yandex.net',
    aka: ['yandex.ru'],
    selectors: ['mail'],
  },
  { name: 'VK WorkSpace', mx: ['emx.mail.ru'], include: '_spf.mail.ru', selectors: ['mailru'] },
  {
    name: 'Migadu',
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
    mx: ['tutanota.de'],
    include: 'spf.tutanota.de',
    selectors: ['s1', 's2'],
    aliases: [
      ['s1', 's1.domainkey.tutanota.de'],
      ['s2', 's2.domainkey.tutanota.de'],
    ],
  },
  { name: 'Runbox', mx: ['runbox.com'], include: 'spf.runbox.com', selectors: ['selector1', 'selector2'] },
  {
    name: 'Purelymail',
    mx: ['purelymail.com'],
    include: '_spf.purelymail.com',
    selectors: ['purelymail1', 'purelymail2', 'purelymail3'],
    aliases: ['1', '2', '3'].map((number) => [`purelymail${number}`, `key${number}.dkimroot.purelymail.com`]),
  },
].map((row) => ({ ...row, isMailbox: true }) as Provider);

/** Filters, forwarders and gateways: they take mail, and hand it on to somebody else. */
const gateways: readonly Provider[] = [
  {
    name: 'Cloudflare Email Routing',
    mx: ['mx.cloudflare.net'],
    include: '_spf.mx.cloudflare.net',
    selectors: ['cf2024-1'],
    sts: ['*.mx.cloudflare.net'],
    reports: ['dmarc-reports.cloudflare.net'],
  },
  {
    name: 'ImprovMX',
    mx: ['improvmx.com'],
    include: 'spf.improvmx.com',
    selectors: ['dkimprovmx1', 'dkimprovmx2'],
  },
  { name: 'Forward Email', mx: ['forwardemail.net'], include: 'spf.forwardemail.net' },
  {
    name: 'SimpleLogin',
    mx: ['simplelogin.co'],
    include: 'simplelogin.co',
    selectors: ['dkim', 'dkim02', 'dkim03'],
  },
  { name: 'Proofpoint', mx: ['pphosted.com', 'ppe-hosted.com'], aka: ['pphosted.com', 'ppe-hosted.com'] },
  {
    name: 'Mimecast',
    mx: ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com'],
    aka: ['mimecast.com'],
  },
  { name: 'Barracuda', mx: ['barracudanetworks.com'] },
  { name: 'Cisco Secure Email', mx: ['iphmx.com'], selectors: ['iport'] },
  { name: 'Sophos Email', mx: ['sophos.com'] },
  { name: 'Hornetsecurity', mx: ['hornetsecurity.com', 'antispameurope.com'], selectors: ['hse1', 'hse2'] },
  { name: 'N-able Mail Assure', mx: ['antispamcloud.com', 'mtaroutes.com', 'spamexperts.com'] },
];

/** Services that only send: newsletters, receipts, tickets. Most of them send by a subdomain of their own choice. */
const senders: readonly Provider[] = [
  { name: 'Amazon SES', include: 'amazonses.com' },
  { name: 'SendGrid', include: 'sendgrid.net', selectors: ['s1', 's2', 'smtpapi'] },
  {
    name: 'Mailgun',
    include: 'mailgun.org',
    selectors: ['k1', 'mx', 'smtp', 'pic', 'mailo', 'email', 'krs'],
  },
  { name: 'Mailchimp', include: 'servers.mcsv.net', aka: ['mcsv.net'], selectors: ['k1', 'k2', 'k3'] },
  { name: 'Mandrill', include: 'spf.mandrillapp.com', selectors: ['mandrill', 'mte1', 'mte2'] },
  { name: 'Mailjet', include: 'spf.mailjet.com', selectors: ['mailjet'] },
  {
    name: 'Brevo',
    include: 'spf.brevo.com',
    aka: ['sendinblue.com', 'brevo.com'],
    selectors: ['mail', 'brevo1', 'brevo2'],
  },
  { name: 'Zendesk', include: 'mail.zendesk.com', selectors: ['zendesk1', 'zendesk2'] },
  { name: 'Postmark', include: 'spf.mtasv.net', selectors: ['pm'] },
  { name: 'Elastic Email', include: '_spf.elasticemail.com', aka: ['elasticemail.com'], selectors: ['api'] },
  { name: 'HubSpot', aka: ['hubspotemail.net'], selectors: ['hs1', 'hs2'] },
  { name: 'Resend', aka: ['resend.com'], selectors: ['resend'] },
  { name: 'Klaviyo', aka: ['klaviyo.com', 'klaviyomail.com'], selectors: ['kl', 'kl2'] },
  { name: 'dmarcian', reports: ['dmarcian.com', 'dmarcian-eu.com'] },
  { name: 'Valimail', reports: ['vali.email'] },
  { name: 'EasyDMARC', reports: ['easydmarc.com', 'easydmarc.eu', 'easydmarc.us'] },
  { name: 'PowerDMARC', reports: ['powerdmarc.com'] },
  { name: 'URIports', reports: ['uriports.com'] },
  { name: 'Agari', reports: ['agari.com'] },
  { name: 'DMARC Analyzer', reports: ['dmarcanalyzer.com'] },
];

/** All services that are known. */
export const providers: readonly Provider[] = [...mailboxes, ...gateways, ...senders];
