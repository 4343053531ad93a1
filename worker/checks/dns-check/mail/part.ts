import type { MailCode } from '../../../../shared/catalogue/dns-check/mail/rules.ts';
import type { Json } from '../../../../shared/model/verdict.ts';
import type { Part, PartContext } from '../parts.ts';
import type { MailEvidence } from './evidence.ts';
import { mailPart } from './index.ts';

/** The mail half as a part: its questions go the way of all others. */
export const mailHalf: Part<MailEvidence, MailCode> = {
  async gather({ domain, options, ask, probes }) {
    return mailPart.gather({
      target: domain,
      options: asJson(options),
      probes: { ...probes, dns: { ask } },
      // Counted by `ask` already.
      progress: () => undefined,
    });
  },
  assess: mailPart.assess,
};

function asJson(options: PartContext['options']): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
