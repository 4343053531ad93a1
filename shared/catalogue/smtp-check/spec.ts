import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { smtpReportShape } from './report.ts';
import { rules } from './rules.ts';
import { smtpWhys } from './why.ts';

export const smtpCheck = {
  name: 'smtp-check',
  summary:
    'Talks to the mail hosts of a domain: whether mail to it is encrypted, and whether they prove who they are.',
  targetKind: 'domain',
  queue: 'network',
  switchedOnBy: 'PROBE_SMTP',
  options: z.object({}),
  repeatable: [],
  cost: () => 2,
  runLimitMs: () => 45_000,
  freshForS: 3600,
  waitS: 25,
  refreshFloorS: 30,
  rules,
  why: smtpWhys,
  rulesVersion: 2,
  reportShape: smtpReportShape,
} satisfies CheckSpec;
