/** How a part of a report stands. Clients never have to guess from a null. */
export const partStates = ['ok', 'missing', 'invalid', 'unknown', 'not-applicable'] as const;
export type PartState = (typeof partStates)[number];
