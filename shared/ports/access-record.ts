import { z } from 'zod';

const contactSchema = z.object({
  /** A host name, or an address. */
  place: z.string(),
  /** How many of what went there at most, by the names of the budget: connections are counted by name, all else by address. */
  counts: z.record(z.string(), z.int()),
});

const recordSchema = z.object({
  /** Our own id of the run: that of its job. */
  runId: z.string(),
  check: z.string(),
  /** The host that was asked for, without a path. */
  host: z.string(),
  /** The account, or the network that asked without one. */
  caller: z.string(),
  /** Unix ms. */
  startedAt: z.int(),
  endedAt: z.int(),
  /** What was sent where; null for a run that could not tell. */
  contacts: z.array(contactSchema).readonly().nullable(),
});

/** What one run sent to one place. */
export type Contact = Readonly<z.infer<typeof contactSchema>>;

/** Who asked for a run, and what it sent where: the record for complaints. Read by the command line only. */
export type AccessRecord = Readonly<z.infer<typeof recordSchema>>;

/** The record of a row. Throws for one that fits no schema of ours. */
export function readAccessRecord(row: unknown): AccessRecord {
  return recordSchema.parse(row);
}

/** Which records: those of runs that overlap this time, in Unix ms. */
export type AccessTime = { readonly since: number; readonly until: number };

/** Whose records are to be deleted: of an account or network, of a host with all below it, or those that began before a time. */
export type AccessWish =
  | { readonly account: string }
  | { readonly target: string }
  | { readonly madeBefore: number };

/** Records for complaints, kept until they expire. An unreachable store rejects with Problem `store_unavailable`. */
export interface AccessRecords {
  keep(records: readonly AccessRecord[], expiresAt: number): Promise<void>;
  /** Oldest first. */
  find(time: AccessTime): AsyncIterable<AccessRecord>;
  /** Gives how many were deleted, or had a host struck out. */
  purge(wish: AccessWish): Promise<number>;
  /** Makes what its calls need, such as indexes, which its first call does else. */
  prepare?(): Promise<void>;
  close(): Promise<void>;
}

/** Without what was sent to this host or the names below it; undefined for a run of it. @param isMeant tells its names */
export function withoutHost(
  record: AccessRecord,
  isMeant: (name: string) => boolean,
): AccessRecord | undefined {
  if (isMeant(record.host)) return undefined;
  const contacts = record.contacts?.filter(({ place }) => !isMeant(place)) ?? null;
  return contacts?.length === record.contacts?.length ? record : { ...record, contacts };
}
