import { hash } from 'node:crypto';
import type { Delivery, EventType } from '../model/watch.ts';
import { markup, nothing, printMarkup } from './markup.ts';
import { cut, visible } from './visible-text.ts';

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

/** The message that asks whether an address may get messages. It has no word of the account that wants it. */
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

type Feed = {
  readonly feedId: string;
  /** Its own address; undefined where the service has no public one. */
  readonly self: string | undefined;
  readonly events: readonly Pick<Delivery, 'deliveryId' | 'type' | 'createdAt' | 'body'>[];
};

type EventBody = {
  readonly data?: { readonly summary?: string; readonly links?: { readonly page?: string | null } | null };
};

/** The events of watches as an Atom feed (RFC 4287), newest first. */
export function renderFeed({ feedId, self, events }: Feed): string {
  const updated = new Date(events[0]?.createdAt ?? 0).toISOString();
  const feed = markup`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${feedId}</id>
<title>Diagnostic Tools: watches</title>
<updated>${updated}</updated>
<author><name>Diagnostic Tools</name></author>
${
  self === undefined
    ? nothing
    : markup`<link rel="self" href="${self}"/>
`
}${events.map(({ deliveryId, type, createdAt, body }) => {
    const { data } = JSON.parse(body) as EventBody;
    const summary = visible(data?.summary ?? '');
    const page = data?.links?.page;
    return markup`<entry>
<id>urn:diag:event:${deliveryId}</id>
<title>${summary.slice(0, longestTitle)}</title>
<updated>${new Date(createdAt).toISOString()}</updated>
<category term="${type}"/>
${
  typeof page === 'string'
    ? markup`<link rel="alternate" href="${page}"/>
`
    : nothing
}<summary>${summary}</summary>
</entry>
`;
  })}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${printMarkup(feed)}`;
}

const longestTitle = 200;

/** Something that ends. */
type CalendarDate = { readonly what: string; readonly name: string; readonly expiresAt: string };

/** Days on which something ends, as a calendar (RFC 5545). */
export function renderCalendar(dates: readonly CalendarDate[]): string {
  const events = dates.flatMap(({ what, name, expiresAt }) => {
    const day = expiresAt.slice(0, 10).replaceAll('-', '');
    if (!/^\d{8}$/.test(day)) return [];
    return [
      'BEGIN:VEVENT',
      `UID:${hash('sha256', JSON.stringify([what, name, expiresAt])).slice(0, 32)}@diag`,
      `DTSTAMP:${day}T000000Z`,
      `DTSTART;VALUE=DATE:${day}`,
      `SUMMARY:${calendarText(`${what} ${name} expires`)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ];
  });
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Diagnostic Tools//watches//EN',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

function calendarText(text: string): string {
  return visible(text)
    .slice(0, longestSummary)
    .replace(/[\\;,]/g, (sign) => `\\${sign}`);
}

const longestSummary = 200;
const lineBytes = 75;

/** Lines of at most 75 octets; what follows begins with a space (RFC 5545 §3.1). */
function foldLine(line: string): string {
  const lines = [''];
  for (const character of line) {
    const last = lines.length - 1;
    const room = last === 0 ? lineBytes : lineBytes - 1;
    if (Buffer.byteLength((lines[last] ?? '') + character) > room) lines.push(character);
    else lines[last] += character;
  }
  return lines.join('\r\n ');
}
