import { z } from 'zod';

/** Most DKIM selectors of one call; more would be guessing, which the check does by itself. */
const selectorLimit = 10;

// Selectors are labels with dots between them (RFC 6376 §3.1); underscores are met in practice.
const selector = z
  .string()
  .max(63)
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*$/,
    'A DKIM selector is letters, digits, hyphens and inner dots.',
  )
  .toLowerCase();

/** What a caller may add to the domain. The last three describe one message, whose SPF verdict is then given. */
export const dnsCheckOptions = z.object({
  dkimSelector: z
    .array(selector)
    .max(selectorLimit)
    .default([])
    .meta({ description: 'DKIM selectors to look at beside the usual ones.' }),
  ip: z
    .union([z.ipv4(), z.ipv6()], { error: 'Give an IPv4 or IPv6 address.' })
    .optional()
    .meta({ description: 'Address that sends the message (RFC 7208 <ip>).' }),
  sender: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({ description: 'Its MAIL FROM, e.g. "bounce@example.com"; default postmaster@ the domain.' }),
  helo: z.string().min(1).max(255).optional().meta({ description: 'The name it says in HELO or EHLO.' }),
});
export type DnsCheckOptions = z.infer<typeof dnsCheckOptions>;
