import { type Json, type Malformed, malformed } from '#shared/model/verdict';
import { isObject } from '../../../../dns/record-values.ts';

/** An HTTPS or SVCB record. Priority 0 is an alias, all others describe a service (RFC 9460 §2.4). */
export type ServiceBinding = {
  readonly priority: number;
  readonly target: string;
  /** The keys of its parameters, as printed. */
  readonly keys: readonly string[];
  /** Addresses to try before the target's own are known (RFC 9460 §7.3). */
  readonly hints: readonly AddressHint[];
};

export type AddressHint = { readonly key: 'ipv4hint' | 'ipv6hint'; readonly address: string };

/** Reads a decoded HTTPS record and judges the keys among themselves (RFC 9460 §2.2, §7.1, §8). */
export function parseServiceBinding(value: Json): ServiceBinding | Malformed {
  if (!isObject(value)) return malformed('it cannot be decoded');
  const {
    malformed: why,
    priority,
    target,
    params,
  } = value as {
    [field in 'malformed' | 'priority' | 'target' | 'params']?: Json;
  };
  if (why !== undefined)
    return malformed(typeof why === 'string' && why !== '' ? why : 'it cannot be decoded');
  if (typeof priority !== 'number' || typeof target !== 'string' || !isObject(params))
    return malformed('it cannot be decoded');
  const keys = Object.keys(params);
  const fault = priority === 0 ? undefined : findFault(keys, mandatoryOf(params));
  return fault === undefined ? { priority, target, keys, hints: hintsOf(params) } : malformed(fault);
}

function hintsOf(params: { readonly [key: string]: Json }): readonly AddressHint[] {
  return (['ipv4hint', 'ipv6hint'] as const).flatMap((key) => {
    const value = Object.hasOwn(params, key) ? params[key] : undefined;
    const addresses = Array.isArray(value) ? (value as readonly Json[]) : [];
    return addresses.flatMap((address) => (typeof address === 'string' ? [{ key, address }] : []));
  });
}

function mandatoryOf(params: { readonly [key: string]: Json }): readonly Json[] | undefined {
  if (!Object.hasOwn(params, 'mandatory')) return undefined;
  const mandatory = params['mandatory'];
  return Array.isArray(mandatory) ? (mandatory as readonly Json[]) : [];
}

function findFault(keys: readonly string[], mandatory: readonly Json[] | undefined): string | undefined {
  if (keys.includes('no-default-alpn') && !keys.includes('alpn'))
    return '“no-default-alpn” stands without “alpn”';
  if (mandatory === undefined) return undefined;
  if (mandatory.length === 0) return '“mandatory” names no key';
  if (mandatory.includes('mandatory')) return '“mandatory” names itself';
  if (new Set(mandatory).size < mandatory.length) return '“mandatory” names a key twice';
  const missing = mandatory.find((key) => typeof key !== 'string' || !keys.includes(key));
  return missing === undefined
    ? undefined
    : `“mandatory” names ${JSON.stringify(missing)}, which is not there`;
}
