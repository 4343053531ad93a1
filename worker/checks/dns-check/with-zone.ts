import { codesOf, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import { isAtOrBelow } from '#shared/targets/denied-names';
import { providerOf } from '../../probes/well-known-servers.ts';

/** Where records are published: the zone that holds a domain, and its name servers as its parent or itself name them. */
type Zone = {
  readonly zone: string | null;
  readonly parent: readonly string[] | null;
  readonly child: readonly string[] | null;
};

/** The same verdicts; a record to publish says in which zone it stands, and who runs that zone where all its name servers are of one provider. */
export function withZone<Code extends string>(
  verdicts: Verdicts<Code>,
  { zone, parent, child }: Zone,
): Verdicts<Code> {
  if (zone === null) return verdicts;
  const hosts = new Set([...(parent ?? []), ...(child ?? [])].map(providerOf));
  const [host] = hosts.size === 1 ? hosts : [];
  const place = { name: zone, ...(host === undefined ? {} : { host }) };
  const within = new Set([zone]);
  const placed = (verdict: Verdict): Verdict =>
    isBroken(verdict) && verdict.fix?.record && isAtOrBelow(verdict.fix.record.name, within)
      ? { ...verdict, fix: { ...verdict.fix, zone: place } }
      : verdict;
  return Object.fromEntries(
    codesOf(verdicts).map((code) => [code, placed(verdicts[code])]),
  ) as Verdicts<Code>;
}
