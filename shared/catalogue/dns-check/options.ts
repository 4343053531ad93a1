import { z } from 'zod';
import { addressText } from '../../targets/target-texts.ts';

/** Most DKIM selectors of one call; more would be guessing, which the check does by itself. */
const selectorLimit = 10;

// Selectors are labels with dots between them (RFC 6376 §3.1); underscores are met in practice.
const selector = z
  .string()
  .max(63, 'A DKIM selector has at most 63 characters.')
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*$/,
    'A DKIM selector is letters, digits, hyphens, and dots between them.',
  )
  .toLowerCase();

// A quoted local part, or one without an @; nowhere a control character, and no space in the domain.
const senderText =
  /^(?:"(?:[^"\\\x00-\x1f\x7f-\x9f]|\\[^\x00-\x1f\x7f-\x9f])*"|[^@\x00-\x1f\x7f-\x9f]*)@[^@\x00-\x20\x7f-\xa0]+$/u;

/** What a caller may add to the domain. The last three describe one message, whose SPF verdict is then given. */
export const dnsCheckOptions = z
  .object({
    dkimSelector: z
      .array(selector)
      .max(selectorLimit, `Give at most ${selectorLimit} DKIM selectors.`)
      .transform((selectors) => [...new Set(selectors)].toSorted())
      .default([])
      .meta({ description: 'DKIM selectors to look at beside the usual ones.' }),
    ip: z
      .string()
      .regex(addressText, 'Give an IPv4 or IPv6 address.')
      .optional()
      .meta({ description: 'Address that sends the message (RFC 7208 <ip>).' }),
    sender: z
      .string()
      // JSON Schema counts characters where a string of this language counts units of UTF-16.
      .refine((text) => Array.from(text).length <= 320, 'A mail address has at most 320 characters.')
      // The local part may be empty, quoted or have spaces: evaluators must read those too (RFC 7208 §4.3, §7.1).
      .regex(senderText, 'Give a mail address, such as bounce@example.com.')
      .optional()
      .meta({
        maxLength: 320,
        description: 'Its MAIL FROM, e.g. "bounce@example.com"; default postmaster@ the domain.',
      }),
    helo: z
      .string()
      .max(255, 'A host name has at most 255 characters.')
      // Whatever a client may say: an evaluator answers none for what is no name (RFC 7208 §4.3).
      .regex(/^[ -~]+$/, 'Give a host name, such as mail.example.com.')
      .optional()
      .meta({ description: 'The name it says in HELO or EHLO.' }),
  })
  .refine(({ ip, sender, helo }) => ip !== undefined || (sender === undefined && helo === undefined), {
    path: ['ip'],
    error: 'Give the address that sends the message too: without it, sender and helo say nothing.',
  });
export type DnsCheckOptions = z.infer<typeof dnsCheckOptions>;
