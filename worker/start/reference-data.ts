import { rootsListedOn } from '../certificates/trust/listed-roots.ts';
import { providersListedOn } from '../checks/dns-check/mail-providers/table.ts';
import { chartReadOn } from '../checks/security-header-check/report/observatory/chart.ts';
import { profilesCapturedOn } from '../checks/ssl-check/grammar/client-profiles.ts';
import { logsListedOn } from '../checks/ssl-check/grammar/listed-logs.ts';
import { bundledBuiltOn } from '../probes/browser/about.ts';
import { registriesListedOn } from '../probes/rdap/listed-on.ts';
import { serversListedOn } from '../probes/well-known-servers.ts';
import { blockSignsSeenOn } from '../web/block-signs.ts';
import { cookiesListedOn } from '../web/known-cookies.ts';

/** A table of facts about the world that were copied on some day, and go out of date. How each is renewed stands in docs/data.md. */
export type ReferenceData = {
  readonly name: string;
  /** "2026-08-21" */
  readonly day: string;
};

/** Every such table that checks judge by. */
export const referenceData: readonly ReferenceData[] = [
  { name: 'ct-logs', day: logsListedOn },
  { name: 'root-stores', day: rootsListedOn },
  { name: 'client-profiles', day: profilesCapturedOn },
  { name: 'block-signs', day: blockSignsSeenOn },
  { name: 'known-cookies', day: cookiesListedOn },
  { name: 'mail-providers', day: providersListedOn },
  { name: 'name-servers', day: serversListedOn },
  { name: 'rdap-registries', day: registriesListedOn },
  { name: 'observatory', day: chartReadOn },
  { name: 'bundled-browser', day: bundledBuiltOn.day },
];

/** From this age a table may lead to wrong verdicts: half a year. */
export const oldAfterDays = 183;

/**
 * The tables that are too old.
 * @param nowMs Unix time
 */
export function listOldData(nowMs: number): readonly (ReferenceData & { readonly ageDays: number })[] {
  return referenceData
    .map((data) => ({ ...data, ageDays: Math.floor((nowMs - Date.parse(data.day)) / 86_400_000) }))
    .filter(({ ageDays }) => ageDays > oldAfterDays);
}
