import { isMalformed, type Malformed } from '#shared/model/verdict';
import { type Fields, valuesOf } from '../../../web/fields.ts';
import {
  type DocumentPolicy,
  type EmbedderPolicy,
  type OpenerPolicy,
  type Policy,
  parseDocumentPolicy,
  parseEmbedderPolicy,
  parseOpenerPolicy,
  parseResourcePolicy,
  type ResourcePolicy,
} from '../grammar/cross-origin-policies.ts';

/** What keeps the page apart from other sites' windows and resources. */
export type Isolation = {
  readonly opener: Policy<OpenerPolicy> | Malformed | undefined;
  readonly embedder: Policy<EmbedderPolicy> | Malformed | undefined;
  readonly resource: Policy<ResourcePolicy> | Malformed | undefined;
  readonly document: Policy<DocumentPolicy> | Malformed | undefined;
  readonly effective: {
    readonly opener: OpenerPolicy;
    readonly embedder: EmbedderPolicy;
    readonly resource: ResourcePolicy | null;
    /** Isolates the page without its opener, in Chromium alone; left out where it was not sent. */
    readonly documentIsolation?: DocumentPolicy;
    readonly crossOriginIsolated: boolean;
  };
};

/** Reads the three headers; what is malformed counts as absent, and so do opener and embedder in clear text (HTML Standard, secure contexts). */
export function readIsolation({ fields, url }: { readonly fields: Fields; readonly url: URL }): Isolation {
  const opener = parseOpenerPolicy(valuesOf(fields, 'cross-origin-opener-policy'));
  const embedder = parseEmbedderPolicy(valuesOf(fields, 'cross-origin-embedder-policy'));
  const resource = parseResourcePolicy(valuesOf(fields, 'cross-origin-resource-policy'));
  const document = parseDocumentPolicy(valuesOf(fields, 'document-isolation-policy'));
  const isSecure = url.protocol === 'https:';
  const openerInForce = (isSecure ? policyOf(opener) : undefined) ?? 'unsafe-none';
  const embedderInForce = (isSecure ? policyOf(embedder) : undefined) ?? 'unsafe-none';
  const documentIsolation = isSecure ? policyOf(document) : undefined;
  const byBoth = openerInForce === 'same-origin' && embedderInForce !== 'unsafe-none';
  return {
    opener,
    embedder,
    resource,
    document,
    effective: {
      opener: openerInForce,
      embedder: embedderInForce,
      resource: policyOf(resource) ?? null,
      ...(documentIsolation ? { documentIsolation } : {}),
      crossOriginIsolated: byBoth || (documentIsolation ?? 'none') !== 'none',
    },
  };
}

function policyOf<T>(parsed: Policy<T> | Malformed | undefined): T | undefined {
  return parsed === undefined || isMalformed(parsed) ? undefined : parsed.policy;
}
