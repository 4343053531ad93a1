import { z } from 'zod';
import { countOf } from './counts.ts';
import {
  codesOf,
  type Evidence,
  type Fix,
  isBroken,
  type Reference,
  type Rule,
  type Rules,
  severities,
  type Verdicts,
} from './verdict.ts';

/** The severity of a finding. */
export const severitySchema = z.enum(severities).meta({ id: 'Severity' });

/** What the code of a finding may be. */
export const codeText = /^[a-z0-9]+(?:-[a-z0-9]+){0,15}$/;

const referenceSchema = z.object({ title: z.string(), url: z.string() });

/** How to fix a finding. */
export const fixSchema = z.object({
  text: z.string(),
  record: z.object({ name: z.string(), type: z.string(), value: z.string() }).optional(),
  zone: z
    .object({
      name: z.string(),
      host: z.string().optional().meta({ description: 'Who runs its name servers, where they say so.' }),
    })
    .optional()
    .meta({ description: 'The zone that holds `record`.' }),
  snippets: z.record(z.string(), z.string()).optional(),
  notTried: z
    .array(z.string())
    .readonly()
    .optional()
    .meta({ description: 'Those of `snippets` that were never tried in such a server.' }),
});

export const findingSchema = z
  .looseObject({
    code: z.string().meta({ description: 'Stable kebab-case code; all are listed at /api/findings.' }),
    part: z.string().optional(),
    severity: severitySchema,
    title: z.string(),
    detail: z.string(),
    scoreEffect: z.number().meta({ description: 'Points this finding takes from the score: 0 or below.' }),
    evidence: z.array(z.record(z.string(), z.unknown())),
    fix: fixSchema,
    references: z.array(referenceSchema),
  })
  .meta({ id: 'Finding' });
export type Finding = z.infer<typeof findingSchema>;

export const notTestedSchema = z.object({ code: z.string(), reason: z.string() }).meta({ id: 'NotTested' });
export type NotTested = z.infer<typeof notTestedSchema>;

/** Most pieces of evidence kept for one finding. A target may break a rule a thousand times. */
const evidenceLimit = 50;

/** Gives the three lists of a report directly from the verdicts: a rule never passes because nothing was said about it. */
export function listVerdicts<Code extends string>(
  rules: Rules & { readonly [C in Code]: Rule },
  verdicts: Verdicts<Code>,
): { findings: Finding[]; passed: string[]; notTested: NotTested[] } {
  const findings: Finding[] = [];
  const passed: string[] = [];
  const notTested: NotTested[] = [];
  for (const code of codesOf(verdicts)) {
    const verdict = verdicts[code];
    if (verdict === 'holds') passed.push(code);
    else if (verdict === 'not-applicable') continue;
    else if (isBroken(verdict)) findings.push(makeFinding(code, rules[code], verdict.broken, verdict.fix));
    else notTested.push({ code, reason: verdict.notTested });
  }
  findings.sort(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.scoreEffect - b.scoreEffect,
  );
  return { findings, passed, notTested };
}

function makeFinding(code: string, rule: Rule, evidence: readonly Evidence[], fix?: Fix): Finding {
  const { part, severity, title, points } = rule;
  return {
    code,
    ...(part === undefined ? {} : { part }),
    severity,
    title,
    detail: fillDetail(rule.detail, evidence[0] ?? {}),
    scoreEffect: points === 0 ? 0 : -points,
    evidence: evidence.slice(0, evidenceLimit),
    fix: fix ?? { text: fillDetail(rule.fix, evidence[0] ?? {}) },
    references: rule.references.map(resolveReference),
  };
}

/** `{key}`, or `{key|one|others}`. */
const placeholder = /\{(\w+)(?:\|([^|{}]+)\|([^|{}]+))?\}/g;

/** The keys of the evidence that a sentence is filled from. */
export function keysOf(detail: string): readonly string[] {
  return [...detail.matchAll(placeholder)].map(([, key = '']) => key);
}

/** The sentence with `{key}` alone in it, as it is for several things: what callers get of a rule. */
export function templateOf(detail: string): string {
  return detail.replace(placeholder, (_, key: string, _one?: string, others?: string) =>
    others === undefined ? `{${key}}` : `{${key}} ${others}`,
  );
}

/**
 * Replaces `{key}` with the value of that key in the evidence, cut to 200 characters, and `{key|one|others}` with the number and what it
 * counts: `{count|image has|images have}` becomes "1 image has" or "2 images have". An unknown key stays as it is, so that a test finds it.
 */
export function fillDetail(detail: string, evidence: Evidence): string {
  return detail.replace(placeholder, (whole, key: string, one?: string, others?: string) => {
    if (!Object.hasOwn(evidence, key)) return whole;
    const value = evidence[key];
    if (one !== undefined && typeof value === 'number') return countOf(value, one, others);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${text.length > 200 ? `${text.slice(0, 200)}…` : text}${others === undefined ? '' : ` ${others}`}`;
  });
}

/** Gives the title and address of a reference. A text like "RFC 9110 §15.4" leads to the RFC Editor. */
export function resolveReference(reference: Reference): { title: string; url: string } {
  if (typeof reference !== 'string') return { title: reference.title, url: reference.url };
  const [, number = '', section] = /^RFC (\d+)(?: §(.+))?$/.exec(reference) ?? [];
  const anchor =
    section === undefined ? '' : /^\d/.test(section) ? `#section-${section}` : `#appendix-${section}`;
  return { title: reference, url: `https://www.rfc-editor.org/rfc/rfc${number}.html${anchor}` };
}
