import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { redirectReportShape } from './report.ts';
import { rules } from './rules.ts';

export const redirectCheck = {
  name: 'redirect-check',
  summary: 'Follows the redirects of a URL hop by hop, as a browser would, and judges the chain.',
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
  rulesVersion: 6,
  reportShape: redirectReportShape,
} satisfies CheckSpec;
