import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { headerReportShape } from './report.ts';
import { rules } from './rules.ts';
import { headerWhys } from './why.ts';

export const securityHeaderCheck = {
  name: 'security-header-check',
  summary: 'Says what a browser would really enforce of a page’s security headers, and what is missing.',
  targetKind: 'url',
  queue: 'network',
  options: z.object({}),
  repeatable: [],
  cost: () => 1,
  runLimitMs: () => 20_000,
  freshForS: 300,
  waitS: 25,
  refreshFloorS: 30,
  rules,
  why: headerWhys,
  rulesVersion: 16,
  reportShape: headerReportShape,
} satisfies CheckSpec;
