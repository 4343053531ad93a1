import { z } from 'zod';

const longestText = 2048;
const mostItems = 50;
const valueFault = `Give a text, a number, true or false, or a list of texts (${mostItems} at most).`;
const text = z.string().max(longestText);

/** Options in a JSON body: the names of the query with real types. What each of them takes is the check's own to say. */
export const optionValues = z.record(
  z.string(),
  z.union([text, z.number(), z.boolean(), z.array(text).max(mostItems)], valueFault),
);

export type OptionValues = z.infer<typeof optionValues>;
