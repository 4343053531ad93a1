import type { EventType } from '../../model/watch.ts';
import { cut, visible } from '../visible-text.ts';

/** The addresses of pages that stand in mail, made from PUBLIC_URL alone. */
export type MailLinks = { readonly service: string; readonly confirm: string; readonly stop: string };

/** A message without its sender and receiver: plain text, and a subject of our words and the name of a host. */
export type MailText = { readonly subject: string; readonly text: string };

type Told = {
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: {
    readonly label: string | null;
    readonly check: string;
    readonly target: string | null;
    readonly summary: string;
    readonly news: readonly {
      readonly severity: string;
      readonly text: string;
      readonly fix: string | null;
    }[];
    readonly links: Readonly<Record<'report' | 'page' | 'diff', string | null>> | null;
  };
};

const subjects: Readonly<Record<EventType, string>> = {
  'watch.changed': 'Something got worse',
  'watch.expiring': 'Something expires',
  'watch.recovered': 'Something is fixed',
  'watch.unchecked': 'Could not be checked',
  'watch.paused': 'A watch is paused',
  'watch.test': 'A test of a watch',
};
const mostNews = 20;
const mostEvents = 100;
const longestText = 400;

/** The message that asks whether an address may be told. It has no word of the account that wants it. */
export function renderConfirmation({ service, confirm, stop }: MailLinks): MailText {
  return textOf('Confirm your e-mail address', [
    `Somebody wants to be told at this address when a domain changes that ${service} watches.`,
    '',
    'If that is you, open this page and confirm it:',
    confirm,
    '',
    'If not, you need not do anything: nothing more is sent. To get no such questions either, open:',
    stop,
  ]);
}

/** The message of an event. @param body the event as webhooks get it */
export function renderEventMail(body: string, links: MailLinks): MailText {
  const told = JSON.parse(body) as Told;
  const { data } = told;
  const { label, check, news, summary } = data;
  const shown = news.slice(0, mostNews);
  const rows = shown.flatMap(({ severity, text, fix }) => [
    `- [${severity}] ${line(text)}`,
    ...(fix === null ? [] : [`  What to do: ${line(fix)}`]),
  ]);
  return textOf(subjectOf(told), [
    ...(news.length > 0 ? [`${line(data.target ?? '')}:`, ''] : [line(summary)]),
    ...rows,
    ...(news.length > mostNews ? [`And ${news.length - mostNews} more.`] : []),
    '',
    `Check: ${check}`,
    ...(label === null ? [] : [`Watch: ${line(label)}`]),
    ...linkRows(data.links),
    ...footer(links),
  ]);
}

/** One message in place of many. @param bodies the events, the oldest first */
export function renderDigest(bodies: readonly string[], links: MailLinks): MailText {
  const all = bodies.map((body) => JSON.parse(body) as Told);
  const rows = all
    .slice(0, mostEvents)
    .map(({ type, timestamp, data }) => `- ${timestamp} ${subjects[type]}: ${line(data.summary)}`);
  return textOf('Events of your watches', [
    'More happened than fits the messages of a day. Here is the rest.',
    '',
    ...rows,
    ...(all.length > mostEvents ? [`And ${all.length - mostEvents} more.`] : []),
    ...footer(links),
  ]);
}

function textOf(subject: string, lines: readonly string[]): MailText {
  return { subject: `[Diagnostic Tools] ${subject}`, text: `${lines.join('\n')}\n` };
}

function subjectOf({ type, data }: Told): string {
  const host = hostOf(data.target ?? '');
  return host === undefined ? subjects[type] : `${subjects[type]}: ${host}`;
}

/** The name of a target, in the letters of the DNS; undefined for all else, which stands in no subject. */
function hostOf(target: string): string | undefined {
  const host = URL.parse(target)?.hostname ?? target;
  return /^[a-z0-9_.-]{1,253}$/i.test(host) ? host : undefined;
}

function linkRows(links: Told['data']['links']): readonly string[] {
  const named = [
    ['Report', links?.report],
    ['What changed', links?.diff],
    ['Now', links?.page],
  ] as const;
  return named.flatMap(([name, address]) => (address ? [`${name}: ${address}`] : []));
}

function footer({ service, stop }: MailLinks): readonly string[] {
  return [
    '',
    `You get this because this address was confirmed at ${service}.`,
    'To get no more of it:',
    stop,
  ];
}

function line(text: string): string {
  return cut(visible(text), longestText);
}
