import { z } from 'zod';
import type { CheckSpec } from '#shared/catalogue/spec';
import { envelopeShape, reportStates, schemaVersion } from '#shared/model/report';

export const failedReportName = 'FailedReport';

/** The target of a report of any check. */
export const anyTarget = z.looseObject({ domain: z.string().optional(), url: z.string().optional() });

const version = z.literal(schemaVersion);

/** A run of ours that could not end: it has seen nothing to fill a check's own fields with. */
export const failedReport = z
  .looseObject({
    ...envelopeShape,
    schemaVersion: version,
    state: z.literal('failed'),
    target: anyTarget,
  })
  .meta({ id: failedReportName, description: 'Our own run could not end; ask again after freshUntil.' });

/** What a run of a check reports where it came to its end. */
export function reportOf({ name, reportShape }: CheckSpec) {
  return z
    .looseObject({
      ...envelopeShape,
      schemaVersion: version,
      check: z.literal(name),
      state: z.enum(reportStates).exclude(['failed']),
      ...reportShape,
    })
    .meta({ id: componentName(name) });
}

/** The name of a check's report among the document's schemas. */
export function componentName(check: string): string {
  return `${check.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Report`;
}
