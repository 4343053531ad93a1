import type { CheckSpec } from '../spec.ts';
import { withBudget } from './judge-budget.ts';
import { pagespeedOptions } from './options.ts';
import { pagespeedReportShape } from './report.ts';
import { rules } from './rules.ts';
import { pagespeedWhys } from './why.ts';

const runsOf = ({ runs }: { readonly [name: string]: unknown }) => (typeof runs === 'number' ? runs : 1);

export const pagespeedCheck = {
  name: 'pagespeed-check',
  summary: 'Loads a URL in a real browser with Lighthouse and judges its speed and Core Web Vitals.',
  targetKind: 'url',
  queue: 'browser',
  engine: 'lighthouse 13.5.0, chromium 153.0.0',
  options: pagespeedOptions,
  repeatable: ['category'],
  lists: ['category'],
  cost: (given) => 10 * runsOf(given),
  runLimitMs: (given) => 60_000 * runsOf(given),
  freshForS: 3600,
  waitS: 50,
  refreshFloorS: 300,
  judgedFrom: {
    source: ({ budget, ...options }) => (budget === undefined ? undefined : options),
    judge: (report, { budget }) => (typeof budget === 'string' ? withBudget(report, budget) : undefined),
  },
  rules,
  why: pagespeedWhys,
  rulesVersion: 12,
  reportShape: pagespeedReportShape,
} satisfies CheckSpec;
