import { isMalformed, type Malformed } from '#shared/model/verdict';
import { type Fields, valuesOf } from '../../../web/fields.ts';
import {
  type EmbedderPolicy,
  type OpenerPolicy,
  type Policy,
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
  readonly effective: {
    readonly opener: OpenerPolicy;
    readonly embedder: EmbedderPolicy;
    readonly resource: ResourcePolicy | null;
    readonly crossOriginIsolated: boolean;
  };
};

/** Reads the three headers; what is malformed counts as absent, and so do opener and embedder in clear text (HTML Standard, secure contexts). */
export function readIsolation({ fields, url }: { readonly fields: Fields; readonly url: URL }): Isolation {
  const opener = parseOpenerPolicy(valuesOf(fields, 'cross-origin-opener-policy'));
  const embedder = parseEmbedderPolicy(valuesOf(fields, 'cross-origin-embedder-policy'));
  const resource = parseResourcePolicy(valuesOf(fields, 'cross-origin-resource-policy'));
  const isSecure = url.protocol === 'https:';
  const openerInForce = (isSecure ? policyOf(opener) : undefined) ?? 'unsafe-none';
  const embedderInForce = (isSecure ? policyOf(embedder) : undefined) ?? 'unsafe-none';
  return {
    opener,
    embedder,
    resource,
    effective: {
      opener: openerInForce,
      embedder: embedderInForce,
      resource: policyOf(resource) ?? null,
      crossOriginIsolated: openerInForce === 'same-origin' && embedderInForce !== 'unsafe-none',
    },
  };
}

function policyOf<T>(parsed: Policy<T> | Malformed | undefined): T | undefined {
  return parsed === undefined || isMalformed(parsed) ? undefined : parsed.policy;
}
