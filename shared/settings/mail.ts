import { z } from 'zod';
import { readAddress } from '../model/mailbox.ts';

/** The server that takes our mail. */
export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; without it STARTTLS, where the server offers it. */
  readonly isSecure: boolean;
  /** Without TLS they are never sent. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

const ports = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads MAIL_URL: smtp://[user:password@]host[:port] or smtps://; undefined for anything else. User and password may be percent-encoded. */
export function parseMailUrl(text: string): MailServer | undefined {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:\/\/[^/?#\s]+\/?$/i.test(text) || url.hostname === '') return undefined;
  const usual = ports[url.protocol as keyof typeof ports];
  const user = decode(url.username);
  const password = decode(url.password);
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? usual : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    login: user === '' ? undefined : { user, password },
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not percent-encoding; the setting is refused by name
  }
}

/** The settings of mail. */
export const mailSettings = {
  MAIL_URL: z
    .string()
    .refine(
      (text) => parseMailUrl(text) !== undefined,
      'must be smtp://[user:password@]host[:port], or smtps:// for TLS from the start',
    )
    .optional(),
  MAIL_FROM: z
    .string()
    .refine(
      (text) => readAddress(text) !== undefined,
      'must be one e-mail address, such as watches@checks.example',
    )
    .optional(),
};

/** What is missing where watches are to tell by e-mail: its links lead to pages of ours, over https. A line for each. */
export function findMailFaults(settings: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { MAIL_URL, MAIL_FROM, PUBLIC_URL } = settings;
  if (MAIL_URL === undefined && MAIL_FROM === undefined) return [];
  const faults: string[] = [];
  if (MAIL_URL === undefined || MAIL_FROM === undefined)
    faults.push(
      'MAIL_URL and MAIL_FROM: must be set both or neither: the server that takes mail, and its sender',
    );
  if (PUBLIC_URL === undefined || !/^https:/i.test(PUBLIC_URL))
    faults.push(
      'PUBLIC_URL: must be an https URL where MAIL_URL is set: mail has links to pages of this service',
    );
  return faults;
}
