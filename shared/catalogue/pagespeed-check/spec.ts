import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { pagespeedReportShape } from './report.ts';
import { rules } from './rules.ts';

const options = z.object({
  strategy: z.enum(['mobile', 'desktop'], 'Give mobile or desktop.').default('mobile').meta({
    description: 'mobile: a slow phone on slow 4G; desktop: a fast line, with its own curves.',
  }),
  runs: z
    .enum(['1', '2', '3'], 'Give 1, 2 or 3.')
    .default('1')
    .transform(Number)
    .meta({ description: 'How often the page is loaded; the median run is reported.' }),
});

const runsOf = ({ runs }: { readonly [name: string]: unknown }) => (typeof runs === 'number' ? runs : 1);

export const pagespeedCheck = {
  name: 'pagespeed-check',
  summary: 'Loads a URL in a real browser with Lighthouse and judges its speed and Core Web Vitals.',
  targetKind: 'url',
  queue: 'browser',
  engine: 'lighthouse 13.5.0, chromium 153.0.0',
  options,
  repeatable: [],
  cost: (given) => 10 * runsOf(given),
  runLimitMs: (given) => 60_000 * runsOf(given),
  freshForS: 3600,
  waitS: 50,
  refreshFloorS: 300,
  rules,
  rulesVersion: 8,
  reportShape: pagespeedReportShape,
} satisfies CheckSpec;
