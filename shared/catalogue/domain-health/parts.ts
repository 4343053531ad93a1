import { z } from 'zod';
import type { Job } from '../../model/job.ts';
import { type CategoryName, categoryNames } from './weights.ts';

const oneName = `(?:${categoryNames.join('|')})`;
const nameList = new RegExp(`^${oneName}(?:,${oneName})*$`);

/** What a caller may choose: parts, as a list with commas or repeated. Who names all of them has named mail, and so asks more than who names none. */
export const healthOptions = z.object({
  parts: z
    .array(z.string().regex(nameList, `Give some of: ${categoryNames.join(', ')}.`))
    .min(1, `Give some of: ${categoryNames.join(', ')}.`)
    .transform((lists) => partsNamed(lists.flatMap((list) => list.split(','))))
    .optional()
    .meta({
      description:
        'The parts to look at: dns, ssl, headers, performance, mail; all of them where left out. What is left out lowers `coverage`. Each part costs a scan; with performance it is 5. Where this service offers smtp-check, naming mail, alone or with others, has the mail hosts talked to, for 2 scans more.',
    }),
});

/** The parts that a job's options ask for, in the order of the report. */
export function partsOf({ parts }: Job['options']): readonly CategoryName[] {
  return Array.isArray(parts) ? categoryNames.filter((name) => parts.includes(name)) : categoryNames;
}

/** Points of the `scans` quota: one for each part; a page load makes it those of the whole. */
export function costOfParts(options: Job['options']): number {
  const parts = partsOf(options);
  return parts.includes('performance') ? categoryNames.length : parts.length;
}

/** Whether the mail hosts of the domain are to be talked to: strangers' servers, so only where a caller has named the part mail. */
export function asksMailHosts({ parts }: Job['options']): boolean {
  return Array.isArray(parts) && parts.includes('mail');
}

/** Whether any of these parts looks at the web site, so that its host and its entry points are asked. */
export function asksWeb(parts: readonly CategoryName[]): boolean {
  return parts.some((name) => name !== 'dns' && name !== 'mail');
}

function partsNamed(names: readonly string[]): CategoryName[] {
  return categoryNames.filter((name) => names.includes(name));
}
