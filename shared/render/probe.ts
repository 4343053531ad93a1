import { z } from 'zod';
import { endingsIn } from '../catalogue/expiries/endings.ts';
import { type Report, reportSchema } from '../model/report.ts';
import { severities } from '../model/verdict.ts';

/** A gauge and its samples; none: it is left out. */
type Gauge = {
  readonly name: string;
  readonly help: string;
  /** The one label that its samples have. */
  readonly label?: string;
  readonly samples: readonly (readonly [labelValue: string, value: number])[];
};

/** Prometheus takes the type of an answer from this (its text format, version 0.0.4). */
export const probeContentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * What a scrape is told of a report, as blackbox_exporter tells of a probe. No text of a target is in it: every label is a word of ours.
 * @param report undefined where there is none yet
 * @param tookS seconds that the scrape waited
 */
export function renderProbe(report: Report | undefined, tookS: number): string {
  const isSeen = report !== undefined && ['complete', 'partial'].includes(report.state);
  return [
    single('probe_success', 'Whether there is a report, and its target was seen.', isSeen ? 1 : 0),
    single('probe_duration_seconds', 'How long this scrape waited.', Number(tookS.toFixed(6))),
    ...(report ? gaugesOf(report) : []),
  ]
    .map(print)
    .join('');
}

function gaugesOf(report: Report): readonly Gauge[] {
  const checkedS = Date.parse(report.checkedAt) / 1000;
  return [
    single('diag_checked_timestamp_seconds', 'When the target was checked.', checkedS),
    single('diag_score', 'The score, 0 to 100; absent where there is none.', report.score ?? undefined),
    {
      name: 'diag_category_score',
      help: 'The score of each category that has one.',
      label: 'category',
      samples: categoriesOf(report),
    },
    {
      name: 'diag_findings',
      help: 'Findings by severity.',
      label: 'severity',
      samples: severities.map((severity) => [severity, report.summary[severity]]),
    },
    {
      name: 'diag_expires_timestamp_seconds',
      help: 'When the first of each kind of thing expires.',
      label: 'what',
      samples: expiriesOf(report),
    },
  ];
}

function single(name: string, help: string, value: number | undefined): Gauge {
  return { name, help, samples: value === undefined ? [] : [['', value]] };
}

// What of the checks' own fields is reported here; a report of another shape has none of it.
const scored = z.looseObject({ score: z.number().nullable() });
const ownFields = z.looseObject({
  categories: z.record(z.string(), scored.or(z.unknown())).optional().catch(undefined),
  dnsScore: z.number().nullable().optional().catch(undefined),
  mailScore: z.number().nullable().optional().catch(undefined),
  certificates: z
    .array(z.looseObject({ notAfter: z.string() }))
    .optional()
    .catch(undefined),
});

function categoriesOf(report: Report): Gauge['samples'] {
  const { categories = {}, dnsScore, mailScore } = ownFields.parse(report);
  const all = [
    ...Object.entries(categories).map(([name, category]) => [name, scored.safeParse(category).data?.score]),
    ['dns', dnsScore],
    ['mail', mailScore],
  ] as const;
  return all.flatMap(([name, score]) => (typeof score === 'number' ? [[String(name), score] as const] : []));
}

function expiriesOf(report: Report): Gauge['samples'] {
  // Of a chain that one gauge stands for, the certificates of its authorities count too.
  const { certificates = [] } = ownFields.parse(report);
  const all = [
    ...endingsIn(report).map(({ what, expiresAt }) => [what, expiresAt] as const),
    ...certificates.map(({ notAfter }) => ['certificate', notAfter] as const),
  ];
  const earliest = new Map<string, number>();
  for (const [what, time] of all) {
    const atS = Date.parse(time) / 1000;
    if (Number.isFinite(atS)) earliest.set(what, Math.min(atS, earliest.get(what) ?? Infinity));
  }
  return [...earliest];
}

function print({ name, help, label, samples }: Gauge): string {
  if (samples.length === 0) return '';
  const lines = samples.map(
    ([labelValue, value]) => `${name}${label === undefined ? '' : `{${label}="${labelValue}"}`} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** Reads a report from its JSON, as it was sent. */
export function readSentReport(json: Buffer): Report {
  return reportSchema.parse(JSON.parse(json.toString()));
}
