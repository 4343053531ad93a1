import { z } from 'zod';

// It is said to strangers, whose servers look it up: a whole name, in letters, digits and hyphens.
const hostName = z
  .string()
  .regex(
    /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i,
    'must be a whole host name, such as check.example.com',
  )
  .transform((name) => name.toLowerCase());

/** The settings of smtp-check, beside its switch. */
export const smtpSettings = { SMTP_HELO: hostName.optional(), SMTP_CONTROL_HOST: hostName.optional() };

const isOn = (word: string | undefined) => word === 'on' || word === '1' || word === 'true';

/** What is missing where mail hosts are to be asked: who asks must say who it is and whom to write to. A line for each. */
export function findSmtpFaults(settings: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (!isOn(settings['PROBE_SMTP'])) return [];
  const wanted = {
    SMTP_HELO: 'PROBE_SMTP: on needs SMTP_HELO, the name that mail hosts are greeted with',
    CONTACT_URL: 'PROBE_SMTP: on needs CONTACT_URL, so that operators of mail hosts can ask what it is',
  };
  return Object.entries(wanted).flatMap(([name, fault]) => (settings[name] === undefined ? [fault] : []));
}
