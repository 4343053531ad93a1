import { z } from 'zod';
import type { SourceFacts } from './source.ts';

/** What the parent zone has for a zone, as dns-check saw it; each null where it was not seen. */
export type Delegation = {
  readonly zone: string | null;
  readonly nameServers: readonly string[] | null;
  readonly ds: readonly Ds[] | null;
  /** Why there is nothing, as a clause. */
  readonly why: string;
};

type Ds = z.infer<typeof dsSchema>;

const dsSchema = z.looseObject({
  keyTag: z.number(),
  algorithm: z.number(),
  digestType: z.number(),
  digest: z.string(),
});
const fieldsSchema = z.looseObject({
  ns: z.looseObject({ zone: z.string().nullable(), parent: z.array(z.string()).nullable() }),
  dnssec: z.looseObject({ status: z.string(), ds: z.array(dsSchema) }),
});

/** Reads what dns-check tells of the parent. */
export function readDelegation({ report, why }: SourceFacts): Delegation {
  const nothing = { zone: null, nameServers: null, ds: null };
  if (report === null) return { ...nothing, why };
  const fields = fieldsSchema.safeParse(report).data;
  if (!fields) return { ...nothing, why: 'the report of dns-check cannot be read' };
  const { ns, dnssec } = fields;
  return {
    zone: ns.zone,
    nameServers: ns.parent,
    // Where the status is not known, perhaps the DS records were not seen.
    ds: dnssec.status === 'indeterminate' ? null : dnssec.ds,
    why: 'the delegation was not seen',
  };
}
