import type { Rule } from '../../../model/verdict.ts';

/** What a caller's own budget says. */
export const budgetRules = {
  'budget-exceeded': {
    part: 'budget',
    severity: 'medium',
    points: 0,
    title: 'The page exceeds your budget',
    detail: '{metric} is {value}; your budget allows at most {limit}. {exceeded} in total.',
    fix: 'Bring the metric below its limit, or raise the limit if the page really needs more.',
    references: [
      { title: 'web.dev: Performance budgets 101', url: 'https://web.dev/articles/performance-budgets-101' },
    ],
  },
} as const satisfies Record<string, Rule>;
