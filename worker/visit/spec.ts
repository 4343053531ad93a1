import { z } from 'zod';
import { visitQuestions } from '#shared/catalogue/domain-health/sources';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job } from '#shared/model/job';

/** The internal job that visits a domain for all its network checks. It has no endpoint; its own report only says that the visit has ended. */
export const domainVisit: CheckSpec = {
  name: 'domain-visit',
  summary: 'Asks a domain everything at once, for domain-health.',
  targetKind: 'domain',
  queue: 'network',
  options: z.object({}),
  repeatable: [],
  cost: () => 0,
  // The longest of its checks, which run side by side, and a little to judge and store them.
  runLimitMs: () => 22_000,
  freshForS: 1,
  waitS: 0,
  refreshFloorS: 0,
  rules: {},
  why: {},
  rulesVersion: visitQuestions('example.com', 'example.com').reduce(
    (sum, { spec }) => sum + spec.rulesVersion,
    0,
  ),
  reportShape: {},
};

/** Of a visit's options those that are its question: which parts it looks at. The others say how old a report may be. */
export function questionOfVisit({ parts }: Job['options']): Job['options'] {
  return parts === undefined ? {} : { parts };
}

/** Only those who wait for the visit read its report, and a second attempt after a kill. */
export const visitKeptForS = 300;
