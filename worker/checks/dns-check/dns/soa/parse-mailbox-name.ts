import { type Malformed, malformed } from '#shared/model/verdict';
import { parseName } from '../../../../dns/name.ts';

/** The mail address that a SOA's RNAME stands for (RFC 1035 §8): the first label is the local part. */
export type MailboxName = { readonly local: string; readonly domain: string };

/** Reads an RNAME, e.g. "first\.last.example.com" → first.last@example.com. */
export function parseMailboxName(rname: string): MailboxName | Malformed {
  const name = parseName(rname);
  if ('malformed' in name) return name;
  const [local = '', ...labels] = name.labels;
  if (name.labels.length === 0) return malformed('it is empty');
  if (name.labels.some((label) => label.includes('@'))) return malformed('it has an @ where a dot belongs');
  if (labels.length < 2) return malformed('what follows the first label is not a mail domain');
  if (!/^[!-~]+$/.test(local)) return malformed('its first label has a character that no mail address has');
  const wrong = labels.find((label) => !isHostLabel(label));
  if (wrong !== undefined) return malformed('its mail domain has a label that no host has');
  if (/^\d+$/.test(labels.at(-1) ?? '')) return malformed('its mail domain ends in a number');
  return { local, domain: labels.join('.') };
}

function isHostLabel(label: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(label) && !label.startsWith('-') && !label.endsWith('-');
}
