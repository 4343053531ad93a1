import type { HealthFields } from '../../../shared/catalogue/domain-health/report.ts';
import { type RedirectEnd, redirectEnds } from '../../../shared/catalogue/redirect-check/report.ts';
import { clause } from '../clause.ts';
import type { HealthEvidence } from './evidence.ts';
import { linkTo } from './links.ts';
import { findingIn, type PartSight, readPart } from './part-sight.ts';
import { type RedirectFields, readRedirectFields } from './read-fields.ts';

/**
 * How a way in ended. arrived: at a page · error: at a status of 400 or above · astray: the redirects lead to no page ·
 * nobody: the first connection was refused or broken off · no-name: its host has no address · unknown: it was not seen.
 */
export type EntryEnd = 'arrived' | 'error' | 'astray' | 'nobody' | 'no-name' | 'unknown';

/** One of the addresses that people type. */
export type EntryPoint = {
  readonly url: string;
  readonly host: string;
  readonly isHttps: boolean;
  readonly sight: PartSight;
  readonly fields: RedirectFields | null;
  readonly end: EntryEnd;
  /** Why it did not arrive, without a full stop; "" where it did. */
  readonly why: string;
  /** True when a server answered at the very address. */
  readonly isAnswered: boolean;
  /** The first certificate on the way that browsers refuse, and why; null where there is none. */
  readonly distrust: { readonly at: string; readonly reason: string } | null;
  /** Code of the failure of the very first connection; null where there was none. */
  readonly firstFailure: string | null;
};

/** An entry point that ended at a page or an error page. */
export type LandedEntry = EntryPoint & { readonly finalUrl: string; readonly finalStatus: number };

/** Reads every entry point, in the order of the evidence. */
export function readEntryPoints({ redirects }: Pick<HealthEvidence, 'redirects'>): readonly EntryPoint[] {
  return redirects.map(({ url, part }) => {
    const sight = readPart(part);
    const fields = sight.report && readRedirectFields(sight.report);
    const first = fields?.hops[0];
    const { hostname, protocol } = new URL(url);
    return {
      url,
      host: hostname,
      isHttps: protocol === 'https:',
      sight,
      fields,
      ...endOf(sight, fields),
      distrust: distrustIn(sight)[0] ?? null,
      isAnswered: typeof first?.status === 'number',
      firstFailure: first?.error?.code ?? null,
    };
  });
}

/** Those that ended at a page or an error page. */
export function landed(entries: readonly EntryPoint[]): readonly LandedEntry[] {
  return entries.flatMap((entry) => {
    const { finalUrl = null, finalStatus = null } = entry.fields ?? {};
    const isLanded = entry.end === 'arrived' || entry.end === 'error';
    return isLanded && finalUrl !== null && finalStatus !== null ? [{ ...entry, finalUrl, finalStatus }] : [];
  });
}

/** The certificates that browsers refuse on the way, by what redirect-check found. */
export function distrustIn(sight: PartSight): readonly NonNullable<EntryPoint['distrust']>[] {
  const found = findingIn(sight, 'certificate-not-trusted')?.evidence ?? [];
  return found.flatMap(({ url, reason }) =>
    typeof url === 'string' ? [{ at: url, reason: typeof reason === 'string' ? reason : 'unknown' }] : [],
  );
}

/**
 * The report's `entryPoints`.
 * @param failedHost the host whose certificate ssl-failed tells of; null where it tells of none
 */
export function showEntryPoint(
  { url, sight, fields, end, why, distrust }: EntryPoint,
  publicPath: string,
  failedHost: string | null,
): HealthFields['entryPoints'][number] {
  const finalUrl = fields?.finalUrl ?? null;
  const source = linkTo({ check: 'redirect-check', target: { url } }, sight.shown);
  const reasons = [why, tellDistrust(distrust, failedHost)].filter((reason) => reason !== '');
  return {
    url,
    finalUrl,
    finalStatus: fields?.finalStatus ?? null,
    redirects: fields?.redirects ?? null,
    ended: redirectEnds.find((name): name is RedirectEnd => name === fields?.ended) ?? null,
    https: finalUrl === null ? null : finalUrl.startsWith('https:'),
    state: stateOf(end, distrust),
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    report: { ...source, href: publicPath + source.href },
  };
}

function tellDistrust(distrust: EntryPoint['distrust'], failedHost: string | null): string {
  if (!distrust) return '';
  const { at, reason } = distrust;
  const isTold = URL.parse(at)?.hostname === failedHost;
  const place = isTold ? ', as ssl-failed tells' : '';
  return `browsers refuse the certificate at ${at} (${reason})${place}`;
}

const states = {
  arrived: 'ok',
  error: 'invalid',
  astray: 'invalid',
  nobody: 'missing',
  'no-name': 'missing',
  unknown: 'unknown',
} as const satisfies { readonly [E in EntryEnd]: HealthFields['entryPoints'][number]['state'] };

function stateOf(end: EntryEnd, distrust: EntryPoint['distrust']) {
  return distrust && end === 'arrived' ? 'invalid' : states[end];
}

type End = Pick<EntryPoint, 'end' | 'why'>;

const unknown = (why: string): End => ({ end: 'unknown', why: clause(why) });
const astray = (why: string): End => ({ end: 'astray', why: clause(why) });

// By these any client finds nobody; a timeout may be ours alone.
const settledFailures: ReadonlySet<string> = new Set([
  'connection-refused',
  'connection-reset',
  'connection-closed',
  'not-tls',
  'tls-failed',
]);

function endOf(sight: PartSight, fields: RedirectFields | null): End {
  if (sight.report === null) return unknown(sight.why);
  if (fields === null) return unknown('its report cannot be read');
  const { ended, finalStatus } = fields;
  switch (ended) {
    case 'ok':
    case 'cookie-required':
      return finalStatus === null ? unknown('its last status is not known') : endAt(finalStatus);
    case 'loop':
      return astray('the redirects run in a circle');
    case 'too-many':
      return astray('the chain is longer than browsers follow');
    case 'invalid-location':
      return astray('a redirect leads to something that is not a URL');
    case 'refused':
      return endOfRefused(sight);
    default:
      return endOfUnreachable(sight, fields);
  }
}

function endAt(status: number): End {
  if (status === 429) return unknown('the server limits our requests');
  return status < 400 ? { end: 'arrived', why: '' } : { end: 'error', why: `it ends with status ${status}` };
}

/** Where no visitor can follow either; other refusals are ours. */
const deadEnds = [
  'target-address-not-allowed',
  'location-scheme-not-allowed',
  'location-app-scheme',
] as const;

function endOfRefused(sight: PartSight): End {
  const finding = deadEnds.map((code) => findingIn(sight, code)).find((found) => found !== undefined);
  return finding ? astray(finding.detail) : unknown('the chain was not followed to its end');
}

function endOfUnreachable({ report }: PartSight, { hops }: RedirectFields): End {
  const { error } = hops.at(-1) ?? {};
  // A partial chain ran out of our time.
  if (!error || report?.state === 'partial') return unknown('the chain did not come to its end in time');
  const isFirst = hops.length === 1;
  if (error.code === 'name-not-found')
    return isFirst ? { end: 'no-name', why: clause(error.reason) } : astray(error.reason);
  if (!settledFailures.has(error.code)) return unknown(error.reason);
  return isFirst ? { end: 'nobody', why: clause(error.reason) } : astray(error.reason);
}
