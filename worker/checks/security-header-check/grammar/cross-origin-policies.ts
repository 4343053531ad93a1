import { Token } from 'structured-headers';
import { isMalformed, type Malformed, malformed } from '#shared/model/verdict';
import { readItem } from './structured.ts';

const openerPolicies = [
  'unsafe-none',
  'same-origin-allow-popups',
  'same-origin',
  'noopener-allow-popups',
] as const;
const embedderPolicies = ['unsafe-none', 'require-corp', 'credentialless'] as const;
const documentPolicies = ['none', 'isolate-and-require-corp', 'isolate-and-credentialless'] as const;
const resourcePolicies = ['same-origin', 'same-site', 'cross-origin'] as const;

export type OpenerPolicy = (typeof openerPolicies)[number];
export type EmbedderPolicy = (typeof embedderPolicies)[number];
export type DocumentPolicy = (typeof documentPolicies)[number];
export type ResourcePolicy = (typeof resourcePolicies)[number];

/** A value with what it was read from. */
export type Policy<T> = { readonly policy: T };

/** Cross-Origin-Opener-Policy: one structured item that is a known token; undefined where it was not sent. */
export function parseOpenerPolicy(lines: readonly string[]): Policy<OpenerPolicy> | Malformed | undefined {
  return parseTokenItem(lines, openerPolicies);
}

/** Cross-Origin-Embedder-Policy, likewise. */
export function parseEmbedderPolicy(
  lines: readonly string[],
): Policy<EmbedderPolicy> | Malformed | undefined {
  return parseTokenItem(lines, embedderPolicies);
}

/** Document-Isolation-Policy, likewise (Chromium since 137; measured in 153). */
export function parseDocumentPolicy(
  lines: readonly string[],
): Policy<DocumentPolicy> | Malformed | undefined {
  return parseTokenItem(lines, documentPolicies);
}

/** Cross-Origin-Resource-Policy: compared whole, in lower case only, after joining all lines (Fetch Standard). */
export function parseResourcePolicy(
  lines: readonly string[],
): Policy<ResourcePolicy> | Malformed | undefined {
  if (lines.length === 0) return undefined;
  const joined = lines.join(', ');
  const policy = resourcePolicies.find((word) => word === joined);
  if (policy) return { policy };
  if (lines.length > 1) return malformed('it is sent more than once', 0);
  return malformed(whyUnknown(joined, resourcePolicies), 0);
}

function parseTokenItem<T extends string>(
  lines: readonly string[],
  known: readonly T[],
): Policy<T> | Malformed | undefined {
  if (lines.length === 0) return undefined;
  if (lines.length > 1) return malformed('it is sent more than once', 0);
  const read = readItem(lines[0] ?? '');
  if (isMalformed(read)) return read;
  const [word] = read.item;
  if (!(word instanceof Token)) return malformed('it is not a token', 0);
  const policy = known.find((one) => one === word.toString());
  return policy ? { policy } : malformed(whyUnknown(word.toString(), known), 0);
}

function whyUnknown(text: string, known: readonly string[]): string {
  return known.includes(text.trim().toLowerCase())
    ? 'it must be in lower case, without anything beside it'
    : 'browsers do not know it';
}
