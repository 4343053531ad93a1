import type { GatherContext } from '../../check.ts';
import { assessMail, type MailAssessment } from './assess.ts';
import type { MailEvidence } from './evidence.ts';
import { gatherMail } from './gather.ts';

/** The mail half of dns-check: SPF, DMARC, DKIM, MX, MTA-STS, DANE, TLS-RPT and BIMI. */
export const mailPart: {
  readonly gather: (context: GatherContext) => Promise<MailEvidence>;
  readonly assess: (evidence: MailEvidence) => MailAssessment;
} = {
  gather: (context) => gatherMail(context),
  assess: assessMail,
};
