import type { CheckName } from '#shared/catalogue/registry';
import { readPreloadFile } from '../web/preload-list.ts';
import type { Check } from './check.ts';

/** The code of each check, by its name. It is loaded with the first run, so that an idle worker holds none of it. */
const loaders: { readonly [name: string]: () => Promise<Check> } = {
  'dns-check': async () => (await import('./dns-check/index.ts')).dnsCheck,
  'security-header-check': async () => (await import('./security-header-check/index.ts')).securityHeaderCheck,
  'pagespeed-check': async () => (await import('./pagespeed-check/index.ts')).pagespeedCheck,
  'domain-health': async () => (await import('./domain-health/index.ts')).domainHealthCheck,
  'redirect-check': async () => (await import('./redirect-check/index.ts')).redirectCheck,
  'smtp-check': async () => (await import('./smtp-check/index.ts')).smtpCheck,
  'ssl-check': async () => (await import('./ssl-check/index.ts')).sslCheck,
} satisfies { readonly [name in CheckName]: () => Promise<Check> };

export type FindCheck = (name: string) => Promise<Check | undefined>;

/** The work of a check, by its name, with what is built in. */
export const findCheck: FindCheck = async (name) =>
  Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;

/** The same with the operator's HSTS preload list. @param preloadText throws an Error that says why it is none */
export function makeFindCheck(preloadText: string | undefined): FindCheck {
  if (preloadText === undefined) return findCheck;
  const list = readPreloadFile(preloadText);
  const makers: { readonly [name: string]: () => Promise<Check> } = {
    'security-header-check': async () =>
      (await import('./security-header-check/index.ts')).makeSecurityHeaderCheck(list),
    'redirect-check': async () => (await import('./redirect-check/index.ts')).makeRedirectCheck(list),
  };
  const made = new Map<string, Promise<Check>>();
  return (name) => {
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    const check = made.get(name) ?? make?.();
    if (check) made.set(name, check);
    return check ?? findCheck(name);
  };
}
