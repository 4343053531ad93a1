import { openAccess } from '#shared/lifecycle/backend';
import type { AccessRecord, Contact } from '#shared/ports/access-record';
import { jsonText } from '#shared/render/visible-text';
import { readConfig } from '#shared/settings/config';
import { readDeniedName } from '#shared/settings/deny-file';
import { targetMatcher } from '#shared/stores/reports/purge';
import { readAddress, writeAddress } from '#shared/targets/address';
import { openLogger } from '#shared/telemetry/logger';
import { say, sayForProgram, show } from './door.ts';
import { UsageError } from './outcome.ts';

type Options = Readonly<Record<string, string | undefined>>;
/** A run, and what of its contacts is asked about. */
type RunContacts = { readonly record: AccessRecord; readonly contacts: readonly Contact[] };

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const usualMs = 86_400_000;

/** Prints the runs that match, oldest first. */
export async function showAccess(options: Options): Promise<void> {
  const now = Date.now();
  const since = readTime('--since', options['since'], now) ?? now - usualMs;
  const until = readTime('--until', options['until'], now) ?? now;
  const match = readMatch(options);
  const access = await openAccess(readConfig(), openLogger('silent'));
  let count = 0;
  try {
    for await (const record of access.find({ since, until })) {
      const found = match(record);
      if (!found) continue;
      count += 1;
      if (options['output'] === 'json') sayForProgram(jsonText({ ...record, contacts: found.contacts }));
      else tell(found);
    }
  } finally {
    await access.close();
  }
  if (count === 0 && options['output'] !== 'json') say(show`No run of that time matches.`);
}

function tell({ record, contacts }: RunContacts): void {
  const { startedAt, endedAt, check, host, caller, runId } = record;
  const from = new Date(startedAt).toISOString();
  const tookS = ((endedAt - startedAt) / 1000).toFixed(1);
  say(show`${from}  ${check} of ${host}, asked for by ${caller}  (run ${runId}, ${tookS} s)`);
  for (const { place, counts } of contacts) {
    const told = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    say(show`  ${place}: at most ${told.join(', ')}`);
  }
  if (record.contacts === null) say(show`  what it sent is not known: it was broken off`);
}

/** Makes the question whether a run matches, and with which of its contacts. */
function readMatch({ host, address, caller }: Options): (record: AccessRecord) => RunContacts | undefined {
  if (host === undefined && address === undefined && caller === undefined)
    throw new UsageError('Give --host, --address or --caller.');
  const isHost = host === undefined ? undefined : targetMatcher(readHost(host));
  const wanted = address === undefined ? undefined : canonical(address);
  const isPlace = (place: string) => isHost?.(place) === true || place === wanted;
  return (record) => {
    if (caller !== undefined && record.caller !== caller) return undefined;
    const all = record.contacts ?? [];
    if (!isHost && wanted === undefined) return { record, contacts: all };
    // A run of the host itself is reported with all that it sent: addresses are not told by their names.
    if (isHost?.(record.host)) return { record, contacts: all };
    const contacts = all.filter(({ place }) => isPlace(place));
    return contacts.length === 0 ? undefined : { record, contacts };
  };
}

function readHost(text: string): string {
  const read = readDeniedName(text);
  if ('name' in read) return read.name;
  throw new UsageError(`--host: ${read.fault}.`);
}

function canonical(text: string): string {
  const read = readAddress(text);
  if (read) return writeAddress(read);
  throw new UsageError(`--address: "${text}" is not an IPv4 or IPv6 address.`);
}

function readTime(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (unitMs[unit] ?? 0);
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new UsageError(
      `${name}: "${text}" is neither a time such as 2026-11-21T14:00Z nor one such as 2h.`,
    );
  return time;
}
