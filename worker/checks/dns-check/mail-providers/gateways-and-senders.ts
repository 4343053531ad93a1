import type { Provider } from './provider.ts';

/** Filters, forwarders and gateways: they take mail, and hand it on to somebody else. */
export const gateways: readonly Provider[] = [
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
export const senders: readonly Provider[] = [
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
