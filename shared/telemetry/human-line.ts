import { jsonText, visible } from '../render/visible-text.ts';

type LogLine = { readonly [name: string]: unknown };

const levels: { readonly [level: number]: string } = {
  20: 'debug ',
  40: 'WARN ',
  50: 'ERROR ',
  60: 'ERROR ',
};

/** A line of the log for somebody at a terminal: the time of day, the event, its fields, and below it the stack of an error. */
export function humanLine(json: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(json) as LogLine;
  const atTime = typeof time === 'string' ? time.slice(11, 19) : '';
  const event = `${levels[Number(level)] ?? ''}${visible(String(msg))}`;
  const told = Object.entries(fields).map(([name, value]) => ` ${visible(name)}=${fieldText(value)}`);
  return `${atTime} ${event}${told.join('')}${addressLine(msg, fields)}${errorLines(err)}\n`;
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? visible(value) : jsonText(value);
}

// What somebody who has just started the service looks for.
function addressLine(event: unknown, { url }: LogLine): string {
  return event === 'ready' && typeof url === 'string' ? `\n\n  Open ${visible(url)}/ in a browser.\n` : '';
}

function errorLines(error: unknown): string {
  if (error === undefined) return '';
  const stack = (error as { readonly stack?: unknown } | null)?.stack;
  const text = typeof stack === 'string' ? stack : jsonText(error);
  return text
    .split('\n')
    .map((line) => `\n    ${visible(line)}`)
    .join('');
}
