import { isMalformed, type Malformed } from '#shared/model/verdict';
import { isAddressHost } from '../../../web/address-host.ts';
import { valuesOf } from '../../../web/fields.ts';
import { type Hsts, parseHsts } from '../../../web/hsts.ts';
import type { HopFacts } from './page.ts';

/** What a browser keeps of an answer's Strict-Transport-Security. */
export type EffectiveHsts = {
  readonly applied: boolean;
  /** Why it is not, in words that complete "not applied: it …". */
  readonly why?: string;
  /** The line that counts: the first (RFC 6797 §8.1). */
  readonly line: string | undefined;
  readonly parsed: Hsts | Malformed | undefined;
  readonly count: number;
  /** True where the lines do not all mean the same. */
  readonly conflicting: boolean;
};

/** Reads the field of one hop as a browser does: first line, valid, over https without certificate error, not for addresses. */
export function readEffectiveHsts({ fields, url, hop }: HopFacts): EffectiveHsts {
  const lines = valuesOf(fields, 'strict-transport-security');
  const [line] = lines;
  const parsed = line === undefined ? undefined : parseHsts(line);
  const meanings = new Set(lines.map((text) => JSON.stringify(parseHsts(text))));
  const seen = { line, parsed, count: lines.length, conflicting: meanings.size > 1 };
  const why = whyNotApplied(parsed, url, hop.tls?.trusted ?? false);
  return why === undefined ? { applied: true, ...seen } : { applied: false, why, ...seen };
}

function whyNotApplied(parsed: Hsts | Malformed | undefined, url: URL, trusted: boolean): string | undefined {
  if (parsed === undefined) return 'is not sent';
  if (url.protocol !== 'https:') return 'is sent over http';
  if (!trusted) return 'comes with a certificate that is not trusted';
  if (isAddressHost(url.hostname)) return 'is sent for an address, not for a name';
  if (isMalformed(parsed)) return `has ${parsed.malformed}`;
  return parsed.maxAgeS === 0 ? 'has max-age=0' : undefined;
}
