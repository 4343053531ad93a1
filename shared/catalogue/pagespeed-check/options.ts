import { z } from 'zod';
import { budgetText, describeBudget, printBudget, readBudget } from './budget.ts';
import { allCategories, categoryNames, categoryText, expandCategories } from './categories.ts';

/** What a caller may add to the URL. */
export const pagespeedOptions = z.object({
  strategy: z.enum(['mobile', 'desktop'], 'Give mobile or desktop.').default('mobile').meta({
    description: 'mobile: a slow phone on slow 4G; desktop: a fast line, with its own curves.',
  }),
  runs: z
    .enum(['1', '2', '3'], 'Give 1, 2 or 3.')
    .default('1')
    .transform(Number)
    .meta({ description: 'How often the page is loaded; the median run is reported.' }),
  category: z
    .array(
      z.string().regex(categoryText, `Give one or more of ${categoryNames.join(', ')}, or ${allCategories}.`),
    )
    .transform(expandCategories)
    .default(['performance'])
    .meta({
      description: `What Lighthouse judges in the load: ${categoryNames.join(', ')}, or ${allCategories}; with commas or repeated. The score and the grade stay those of performance.`,
    }),
  budget: z
    .string()
    .transform((text, context) => {
      const { lines, faults } = readBudget(text);
      for (const message of faults) context.addIssue({ code: 'custom', message });
      return printBudget(lines);
    })
    .optional()
    .meta({ pattern: budgetText.source, description: describeBudget }),
});
