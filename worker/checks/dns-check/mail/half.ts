import type { MailFields } from '#shared/catalogue/dns-check/mail/report';
import type { MailCode } from '#shared/catalogue/dns-check/mail/rules';
import type { Half } from '../halves.ts';
import { assessMail } from './assess.ts';
import type { MailEvidence } from './evidence.ts';
import { gatherMail } from './gather.ts';

/** The mail half: SPF, DMARC, DKIM, MX, MTA-STS, DANE, TLS-RPT and BIMI. */
export const mailHalf: Half<MailEvidence, MailCode, MailFields> = {
  gather: (context) => gatherMail(context),
  assess: assessMail,
};
