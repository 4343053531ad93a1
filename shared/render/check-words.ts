import type { CheckName } from '../catalogue/registry.ts';

/** What a visitor calls each check, and what it looks at. */
export const checkWords: { readonly [check: string]: Words } = {
  'domain-health': {
    name: 'Domain health',
    about: 'DNS, mail, TLS, headers, redirects and speed, in one grade',
  },
  'dns-check': { name: 'DNS and mail', about: 'delegation, DNSSEC, SPF, DKIM, DMARC, mail hosts' },
  'ssl-check': { name: 'TLS', about: 'certificate, chain, protocols, cipher suites' },
  'smtp-check': { name: 'Mail hosts', about: 'encryption, certificates, DANE, MTA-STS' },
  'security-header-check': { name: 'Security headers', about: 'what a browser enforces, and cookies' },
  'redirect-check': { name: 'Redirects', about: 'every hop with its time' },
  'pagespeed-check': { name: 'Page speed', about: 'Core Web Vitals by Lighthouse in a real browser' },
} satisfies { readonly [check in CheckName]: Words };

/** What a visitor calls a check; its own name where it is of another release. */
export function checkNameOf(check: string): string {
  return Object.hasOwn(checkWords, check) ? (checkWords[check]?.name ?? check) : check;
}

type Words = { readonly name: string; readonly about: string };
