import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { redirectReportShape } from './report.ts';
import { rules } from './rules.ts';
import { redirectWhys } from './why.ts';

/** Which client redirect-check can ask as. */
const userAgents = ['ours', 'desktop', 'phone', 'googlebot-like'] as const;
export type UserAgent = (typeof userAgents)[number];

// Without a default: a job without the option keeps the key that domain-health asks for.
const options = z.object({
  userAgent: z
    .enum(userAgents, `Give one of ${userAgents.join(', ')}.`)
    .optional()
    .meta({
      description:
        'Ask as another client: a desktop browser, a phone or a crawler. Left out, our own User-Agent is sent. The first address is then asked once more with our own, to see whether the answer depends on it.',
    }),
});

export const redirectCheck = {
  name: 'redirect-check',
  summary: 'Follows the redirects of a URL hop by hop, as a browser would, and judges the chain.',
  targetKind: 'url',
  queue: 'network',
  options,
  repeatable: [],
  cost: () => 1,
  runLimitMs: () => 20_000,
  freshForS: 300,
  waitS: 25,
  refreshFloorS: 30,
  rules,
  why: redirectWhys,
  rulesVersion: 12,
  reportShape: redirectReportShape,
} satisfies CheckSpec;
