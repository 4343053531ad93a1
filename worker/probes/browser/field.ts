import { askService } from './ask-service.ts';
import type { FieldObservation, FieldRecord, Strategy } from './port.ts';
import { readFieldHistory, readFieldRecord } from './read-field.ts';
import { bagOf } from './untyped.ts';

export type FieldSettings = {
  /** CRUX_API_KEY. */
  readonly key: string;
  /** "https://chromeuxreport.googleapis.com"; tests put a server of their own here. */
  readonly baseUrl: string;
};

/** Where the Chrome UX Report answers. */
export const cruxBaseUrl = 'https://chromeuxreport.googleapis.com';

/** A page takes longer to load, so nothing waits for this. */
const limits = { attemptMs: 4000, totalMs: 10_000, limitBytes: 200_000 };

/** Which visits: those of a page or of an origin, by phones or by desktops. */
type Visits = ({ readonly url: string } | { readonly origin: string }) & { readonly formFactor: string };

/**
 * Asks the Chrome UX Report for the page and its origin, and for the history of what has a record. Not a target, and its name is the
 * operator's choice, so it needs no guard. A report that cannot be had is an answer.
 */
export async function askField(
  settings: FieldSettings | undefined,
  { url, strategy }: { readonly url: string; readonly strategy: Strategy },
  signal: AbortSignal,
): Promise<FieldObservation> {
  if (!settings) return { kind: 'none', reason: 'no provider of field data is configured' };
  const formFactor = strategy === 'mobile' ? 'PHONE' : 'DESKTOP';
  const [page, origin] = await Promise.all([
    askRecord(settings, { url, formFactor }, signal),
    askRecord(settings, { origin: new URL(url).origin, formFactor }, signal),
  ]);
  // Not known is not too few: the origin's record stands in only for a page that has none.
  if (typeof page === 'string') return { kind: 'none', reason: page };
  const whole = typeof origin === 'object' ? origin : null;
  if (page) return { kind: 'record', scope: 'url', formFactor, ...page, origin: whole };
  if (whole) return { kind: 'record', scope: 'origin', formFactor, ...whole, origin: null };
  return { kind: 'none', reason: typeof origin === 'string' ? origin : 'too few visitors for a record' };
}

/** A record with its history; undefined where there is none; a sentence's end where the service did not tell. */
type FieldAnswer = FieldRecord | string | undefined;

async function askRecord(settings: FieldSettings, visits: Visits, signal: AbortSignal): Promise<FieldAnswer> {
  const answer = await ask(settings, 'queryRecord', visits, signal);
  if (answer?.status === 404) return undefined;
  if (answer && answer.status !== 200) return `the provider of field data answered ${answer.status}`;
  // The lab's numbers are worth a report without it.
  if (answer?.body === undefined) return 'the provider of field data did not answer';
  const history = await ask(settings, 'queryHistoryRecord', visits, signal);
  return {
    ...readFieldRecord(bagOf(bagOf(answer.body)['record'])),
    history: history?.status === 200 ? readFieldHistory(bagOf(bagOf(history.body)['record'])) : null,
  };
}

function ask({ key, baseUrl }: FieldSettings, method: string, visits: Visits, signal: AbortSignal) {
  const address = new URL(`/v1/records:${method}`, baseUrl);
  address.searchParams.set('key', key);
  return askService({ address, json: visits, ...limits }, signal);
}
