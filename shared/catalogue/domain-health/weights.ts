/** What each category weighs in the score of a domain; 100 together. Of those without a score the weight is left out of the mean. */
export const categoryWeights = { dns: 20, ssl: 25, headers: 20, performance: 15, mail: 20 } as const;

export type CategoryName = keyof typeof categoryWeights;

/** Every category, in the order of the report. */
export const categoryNames = Object.keys(categoryWeights) as readonly CategoryName[];

/** The share of the applicable weights that must have a score; below it, a few good categories would stand for a domain that was hardly seen. */
export const leastCoverage = 0.5;

/** How many of the worst findings of all categories the report shows. */
export const worstFindingsLimit = 10;
