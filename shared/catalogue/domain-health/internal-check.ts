import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';

/** What the checks have alike that a domain-health asks for and that have no endpoint: nobody chooses options, waits for them or pays, and no rule judges. */
export const internalCheck = {
  targetKind: 'domain',
  queue: 'network',
  options: z.object({}),
  repeatable: [],
  cost: () => 0,
  // The longest of the checks of a visit, which run side by side, and a little to judge and store them.
  runLimitMs: () => 22_000,
  waitS: 0,
  rules: {},
  why: {},
  reportShape: {},
} as const satisfies Partial<CheckSpec>;
