import type { X509Certificate } from 'node:crypto';
import { readForm } from './certificate-form.ts';
import type { Refusal, Role } from './refusal.ts';
import { refuseExtensions } from './refuse-extensions.ts';
import { refuseSignature } from './signature-form.ts';

type Read = { readonly x509: X509Certificate; readonly der: Uint8Array };

/** What was found of each certificate and role: a search asks again and again. */
const known: { readonly [R in Role]: WeakMap<X509Certificate, readonly Refusal[]> } = {
  leaf: new WeakMap(),
  issuer: new WeakMap(),
};

/** Everything for which Chrome or Firefox refuses a certificate that stands at this place of a path. Roots of a store are not asked about. */
export function refusalsOf({ x509, der }: Read, role: Role): readonly Refusal[] {
  const before = known[role].get(x509);
  if (before !== undefined) return before;
  const { innerAlgorithm, extensions, refusals } = readForm(der);
  const all = [...refusals, ...refuseSignature(der, innerAlgorithm), ...refuseExtensions(extensions, role)];
  known[role].set(x509, all);
  return all;
}
