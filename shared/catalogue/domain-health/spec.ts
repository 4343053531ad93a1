import { smtpCheck } from '../smtp-check/spec.ts';
import type { CheckSpec } from '../spec.ts';
import { asksMailHosts, costOfParts, healthOptions } from './parts.ts';
import { domainHealthReportShape } from './report.ts';
import { rules } from './rules.ts';
import { healthWhys } from './why.ts';

export const domainHealth = {
  name: 'domain-health',
  summary:
    'Combines DNS, TLS, headers, speed and mail of a domain in one score and one grade, and says what would raise them most.',
  targetKind: 'domain',
  queue: 'composite',
  options: healthOptions,
  repeatable: ['parts'],
  lists: ['parts'],
  cost: costOfParts,
  asksToo: (options) => (asksMailHosts(options) ? [smtpCheck] : []),
  runLimitMs: () => 50_000,
  freshForS: 300,
  waitS: 50,
  refreshFloorS: 30,
  rules,
  why: healthWhys,
  rulesVersion: 8,
  reportShape: domainHealthReportShape,
} satisfies CheckSpec;
