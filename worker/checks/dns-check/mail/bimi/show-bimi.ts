import type { MailFields } from '../../../../../shared/catalogue/dns-check/mail/report.ts';
import type { MailMode } from '../mode.ts';
import { stateOfRecord } from '../state-of-record.ts';
import { clip } from '../text/fault.ts';
import type { BimiFacts } from './see-bimi.ts';

/** The field `bimi` of the report. */
export function showBimi({ sight, texts, bimi, faults }: BimiFacts, mode: MailMode): MailFields['bimi'] {
  return {
    state: stateOfRecord({ sight, texts, value: bimi, faults }, mode),
    record: texts[0] === undefined ? null : clip(texts[0], 500),
    logo: bimi?.logo ?? null,
    authority: bimi?.authority ?? null,
  };
}
