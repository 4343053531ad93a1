import type { PartAssessment } from './parts.ts';

const unknown = { state: 'unknown' } as const;

/** Stands for the mail half where it was not looked at: every part of it is unknown. */
export const mailUnknown: PartAssessment<never> = {
  verdicts: {},
  fields: {
    spf: unknown,
    dmarc: unknown,
    dkim: unknown,
    mtaSts: unknown,
    tlsRpt: unknown,
    bimi: unknown,
    mx: unknown,
    mailScore: null,
  },
  score: null,
  isPartial: false,
};
