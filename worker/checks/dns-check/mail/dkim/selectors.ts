/** Selectors that many use, with any provider. Names by convention, not from any standard. */
export const commonSelectors =
  'default dkim mail google selector1 selector2 k1 k2 s1 s2 key1 mx smtp dkim1'.split(' ');

/** Selectors that a provider's documentation tells its customers to publish, by a suffix of its mail hosts or SPF names. */
const providers: readonly { readonly suffixes: readonly string[]; readonly selectors: readonly string[] }[] =
  [
    { suffixes: ['google.com', 'googlemail.com'], selectors: ['google'] },
    { suffixes: ['outlook.com', 'mx.microsoft'], selectors: ['selector1', 'selector2'] },
    { suffixes: ['zoho.com', 'zoho.eu', 'zohomail.com'], selectors: ['zoho', 'zmail'] },
    { suffixes: ['messagingengine.com'], selectors: ['fm1', 'fm2', 'fm3'] },
    { suffixes: ['protonmail.ch'], selectors: ['protonmail', 'protonmail2', 'protonmail3'] },
    { suffixes: ['icloud.com'], selectors: ['sig1'] },
    { suffixes: ['yandex.net', 'yandex.ru'], selectors: ['mail'] },
    { suffixes: ['mailgun.org'], selectors: ['k1', 'mx', 'smtp', 'pic', 'mailo'] },
    { suffixes: ['sendgrid.net'], selectors: ['s1', 's2', 'smtpapi'] },
    { suffixes: ['mcsv.net'], selectors: ['k1', 'k2', 'k3'] },
    { suffixes: ['mandrillapp.com'], selectors: ['mandrill', 'mte1', 'mte2'] },
    { suffixes: ['mailjet.com'], selectors: ['mailjet'] },
    { suffixes: ['sendinblue.com', 'brevo.com'], selectors: ['mail', 'brevo1', 'brevo2'] },
    { suffixes: ['zendesk.com'], selectors: ['zendesk1', 'zendesk2'] },
    { suffixes: ['gandi.net'], selectors: ['gm1', 'gm2', 'gm3'] },
    { suffixes: ['migadu.com'], selectors: ['key1', 'key2', 'key3'] },
    { suffixes: ['mailbox.org'], selectors: ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'] },
    { suffixes: ['titan.email'], selectors: ['titan1', 'titan2'] },
    { suffixes: ['tutanota.de'], selectors: ['s1', 's2'] },
    { suffixes: ['mtasv.net'], selectors: ['pm'] },
    { suffixes: ['elasticemail.com'], selectors: ['api'] },
    { suffixes: ['secureserver.net'], selectors: ['secureserver1', 'secureserver2'] },
    { suffixes: ['privateemail.com', 'web-hosting.com'], selectors: ['default'] },
  ];

/** Selectors of the providers that these names (mail hosts, names that SPF includes) belong to. */
export function guessSelectors(names: readonly string[]): string[] {
  const isUnder = (suffix: string) => names.some((name) => name === suffix || name.endsWith(`.${suffix}`));
  const found = providers.filter(({ suffixes }) => suffixes.some(isUnder));
  return [...new Set(found.flatMap(({ selectors }) => selectors))];
}
