import { findSpec } from '#shared/catalogue/registry';
import { parseDomain, parseHttpUrl, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import { mainCheck, pagePath } from './addresses.ts';

/** Where the one field of the first page leads, or what is wrong with its text. */
export type FieldRead =
  | { readonly ok: true; readonly check: string; readonly target: string; readonly path: string }
  | { readonly ok: false; readonly status: 400 | 422; readonly why: string };

/**
 * Understands what people paste: a domain, a URL, or an e-mail address, of which only the domain is taken.
 * @param check the tool that was asked for; "" for the usual one
 */
export function readField(text: string, check: string, policy: TargetPolicy): FieldRead {
  const spec = findSpec(check === '' ? mainCheck : check);
  if (!spec) return { ok: false, status: 400, why: 'There is no such check.' };
  const meant = tidy(text);
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(meant) || /[/?]|:\d+$/.test(meant);
  const parsed =
    isUrl || spec.targetKind === 'url'
      ? hostOrUrl(meant.includes('://') ? meant : `https://${meant}`, spec.targetKind, policy)
      : parseDomain(meant, policy);
  if (parsed.ok) {
    const { value: target } = parsed;
    return { ok: true, check: spec.name, target, path: pagePath(spec.name, target) };
  }
  return {
    ok: false,
    status: parsed.fault.kind === 'refused' ? 422 : 400,
    why: tellFault(parsed.fault),
  };
}

function hostOrUrl(text: string, kind: 'domain' | 'url', policy: TargetPolicy) {
  const url = parseHttpUrl(text, policy);
  if (!url.ok) return url;
  return kind === 'domain'
    ? parseDomain(url.value.hostname, policy)
    : { ok: true as const, value: url.value.href };
}

/** Without the spaces and brackets around it, and without the person before the @. */
function tidy(text: string): string {
  const trimmed = text
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed;
  const [, domain] = /@([^\s@<>]+?)[>;,.]*$/.exec(trimmed) ?? [];
  return domain ?? trimmed;
}
