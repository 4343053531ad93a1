import { kindOfFailure } from '../../model/failure.ts';
import { codesOf } from '../../model/verdict.ts';
import type { HealthEvidence } from '../evidence.ts';
import { type RedirectFields, readRedirectFields } from './fields.ts';
import { findingIn, isBlocked, readSource, type SourceFacts, whyBlocked } from './source.ts';

/**
 * How an entry point ended. arrived: at a page · error: at a status of 400 or above · astray: the redirects lead to no page ·
 * closed: the first connection was refused or closed · no-name: its host has no address · unknown: it was not seen.
 */
export type EntryEnd = 'arrived' | 'error' | 'astray' | 'closed' | 'no-name' | 'unknown';

/** One of the addresses that people type. */
export type EntryPoint = {
  readonly url: string;
  readonly host: string;
  readonly isHttps: boolean;
  readonly source: SourceFacts;
  readonly fields: RedirectFields | null;
  readonly end: EntryEnd;
  /** Why it did not arrive, without a full stop; "" where it did. */
  readonly why: string;
  /** True when a server answered at exactly this address. */
  readonly isAnswered: boolean;
  /** The first certificate on the way that browsers refuse, and why; null where there is none. */
  readonly distrust: { readonly at: string; readonly reason: string } | null;
  /** Code of the failure of the very first connection; null where there was none. */
  readonly firstFailure: string | null;
  /** Its last status is a server’s failure, also one that may be meant for us alone: 503. */
  readonly isFailing: boolean;
  /** Where a browser went on to from the page at which it ended; null where it stayed. Left out where that was not seen. */
  readonly sentOnTo?: string | null;
};

/** An entry point that ended at a page or an error page. */
export type LandedEntry = EntryPoint & { readonly finalUrl: string; readonly finalStatus: number };

/** Reads every entry point, in the order of the evidence. */
export function readEntryPoints({ redirects }: Pick<HealthEvidence, 'redirects'>): readonly EntryPoint[] {
  return redirects.map(({ url, part }) => {
    const source = readSource(part);
    const fields = source.report && readRedirectFields(source.report);
    const first = fields?.hops[0];
    const { hostname, protocol } = new URL(url);
    return {
      url,
      host: hostname,
      isHttps: protocol === 'https:',
      source,
      fields,
      ...endOf(source, fields),
      distrust: distrustIn(source)[0] ?? null,
      isAnswered: typeof first?.status === 'number',
      firstFailure: first?.error?.code ?? null,
      isFailing: isServerError(fields),
    };
  });
}

/** Those that ended at a page or an error page; `finalUrl` is where a browser stayed, if one was seen there. */
export function landed(entries: readonly EntryPoint[]): readonly LandedEntry[] {
  return entries.flatMap((entry) => {
    const { finalUrl = null, finalStatus = null } = entry.fields ?? {};
    const isLanded = entry.end === 'arrived' || entry.end === 'error';
    return isLanded && finalUrl !== null && finalStatus !== null
      ? [{ ...entry, finalUrl: entry.sentOnTo ?? finalUrl, finalStatus }]
      : [];
  });
}

/** The certificates that browsers refuse on the way, by what redirect-check found. */
export function distrustIn(source: SourceFacts): readonly NonNullable<EntryPoint['distrust']>[] {
  const found = findingIn(source, 'certificate-not-trusted')?.evidence ?? [];
  return found.flatMap(({ url, reason }) =>
    typeof url === 'string' ? [{ at: url, reason: typeof reason === 'string' ? reason : 'unknown' }] : [],
  );
}

// A challenge may come with 503 too, and is no failure.
function isServerError(fields: RedirectFields | null): boolean {
  const { finalStatus = null, answeredBy } = fields ?? {};
  return (
    (finalStatus ?? 0) >= 500 && finalStatus !== 999 && (!answeredBy || answeredBy.kind === 'maintenance')
  );
}

type End = Pick<EntryPoint, 'end' | 'why'>;

const unknown = (why: string): End => ({ end: 'unknown', why });
const astray = (why: string): End => ({ end: 'astray', why });

function endOf(source: SourceFacts, fields: RedirectFields | null): End {
  if (source.report === null) return unknown(source.why);
  if (fields === null) return unknown('its report cannot be read');
  if (isBlocked(source.report.findings)) return unknown(whyBlocked);
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
      return endOfRefused(source);
    default:
      return endOfUnreachable(source, fields);
  }
}

function endAt(status: number): End {
  if (status === 429) return unknown('the server limits our requests');
  return status < 400 ? { end: 'arrived', why: '' } : { end: 'error', why: `it ends with status ${status}` };
}

/** Where no visitor can follow either; other refusals are ours. */
const deadEnds = {
  'target-address-not-allowed': 'a name on the way resolves to an address that is not public',
  'location-scheme-not-allowed': 'a redirect leads to a scheme that browsers do not follow',
  'location-app-scheme': 'a redirect leads into an app, not to a page',
} as const;

function endOfRefused(source: SourceFacts): End {
  const code = codesOf(deadEnds).find((one) => findingIn(source, one) !== undefined);
  return code ? astray(deadEnds[code]) : unknown('the chain was not followed to its end');
}

function endOfUnreachable(source: SourceFacts, { hops }: RedirectFields): End {
  const nowhere = findingIn(source, 'redirect-to-nowhere')?.evidence[0]?.['reason'];
  if (typeof nowhere === 'string') return astray(nowhere);
  const { error } = hops.at(-1) ?? {};
  // A partial chain ran out of our time.
  if (!error || source.report?.state === 'partial')
    return unknown('the chain did not come to its end in time');
  const isFirst = hops.length === 1;
  if (error.code === 'name-not-found')
    return isFirst ? { end: 'no-name', why: error.reason } : astray(error.reason);
  if (kindOfFailure(error.code) !== 'definite') return unknown(error.reason);
  return isFirst ? { end: 'closed', why: error.reason } : astray(error.reason);
}
