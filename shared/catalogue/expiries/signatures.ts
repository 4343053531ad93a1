import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import type { Lifetime } from './lifetime.ts';

const date = z.iso.datetime();
const dnsFields = z.looseObject({
  ns: z.looseObject({ zone: z.string().nullable() }),
  dnssec: z.looseObject({
    signatures: z.array(
      z.looseObject({ type: z.string(), verdict: z.string(), inception: date, expiration: date }),
    ),
  }),
});

type Signature = z.infer<typeof dnsFields>['dnssec']['signatures'][number];

/**
 * The signature of the zone that ends first. Of several of one set the last to end counts: validators need only one. Those that have ended
 * already are among them, but not those that are wrong for another reason.
 */
export function endingOfSignatures(report: Report): Lifetime | undefined {
  const fields = dnsFields.safeParse(report).data;
  const zone = fields?.ns.zone ?? null;
  if (!fields || zone === null) return undefined;
  const dated = fields.dnssec.signatures.filter(
    ({ verdict }) => verdict === 'valid' || verdict === 'expired',
  );
  const lasting = [...Map.groupBy(dated, ({ type }) => type).values()].map(lastToEnd);
  const [first] = lasting.toSorted((a, b) => endOf(a) - endOf(b));
  if (!first) return undefined;
  return { what: 'signature', name: zone, beginsAt: Date.parse(first.inception), endsAt: endOf(first) };
}

function lastToEnd(signatures: readonly Signature[]): Signature {
  return signatures.reduce((last, one) => (endOf(one) > endOf(last) ? one : last));
}

function endOf({ expiration }: Signature): number {
  return Date.parse(expiration);
}
