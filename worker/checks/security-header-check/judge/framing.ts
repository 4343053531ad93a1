import { framingRules } from '../../../../shared/catalogue/security-header-check/rules/framing.ts';
import type { Evidence, Verdicts } from '../../../../shared/model/verdict.ts';
import { type Framing, judgeFraming } from '../effective/framing.ts';
import { valuesOf } from '../grammar/fields.ts';
import type { XFrameOptions } from '../grammar/x-frame-options.ts';
import type { Page } from '../sight/page.ts';
import { attributeOf } from '../sight/policies.ts';
import { allOf, brokenWhen, cut, fieldAt } from './verdict-tables.ts';

const header = 'x-frame-options';

type FramingCode = keyof typeof framingRules;

/** Judges who may frame the page, by what browsers do and not by which header is there. */
export function judgeFramingRules(page: Page): Verdicts<FramingCode> {
  const framing = judgeFraming(page);
  const absent = allOf(framingRules, 'not-applicable');
  if (!page.isDocument) return absent;
  if (framing.by === 'nothing') return { ...absent, ...judgeUndecided(page, framing) };
  return {
    ...allOf(framingRules, 'holds'),
    'framing-allow-all': brokenWhen(framing.allowed === 'all' && showRule(page, framing)),
    'xfo-overridden': brokenWhen(findOverridden(page, framing)),
    ...(framing.by === 'x-frame-options' && framing.xfo ? judgeDecisive(page, framing, framing.xfo) : {}),
  };
}

// Nothing that counts was sent; one of these four says why.
function judgeUndecided(page: Page, { xfo }: Framing): Partial<Verdicts<FramingCode>> {
  const inMeta = xfo ? undefined : findInMeta(page);
  const seen = { hop: page.index, url: page.hop.url };
  return {
    'framing-open': brokenWhen(!xfo && inMeta === undefined && seen),
    'xfo-in-meta': brokenWhen(inMeta !== undefined && { ...seen, header: 'meta', value: cut(inMeta) }),
    'xfo-allow-from': brokenWhen(xfo?.kind === 'allow-from' && showXfo(page)),
    'xfo-invalid': brokenWhen(xfo?.kind === 'invalid' && showXfo(page)),
  };
}

function judgeDecisive(page: Page, { allowed }: Framing, xfo: XFrameOptions): Partial<Verdicts<FramingCode>> {
  const { kind, values, count } = xfo;
  const seen = showXfo(page);
  return {
    'xfo-duplicate': brokenWhen(values.length === 1 && count > 1 && { ...seen, count }),
    'xfo-conflict': brokenWhen(kind === 'conflict' && { ...seen, values: cut(values.join(' and ')) }),
    'csp-frame-ancestors-missing': brokenWhen(allowed !== 'all' && seen),
  };
}

function showRule(page: Page, { by, sources }: Framing): Evidence {
  return fieldAt(page, by === 'frame-ancestors' ? 'frame-ancestors' : header, sources.join(' '));
}

function showXfo(page: Page): Evidence {
  return fieldAt(page, header, valuesOf(page.fields, header).join(', '));
}

// A list of partners beside DENY for browsers without frame-ancestors is common and meant; a list that lets everyone in is not.
function findOverridden(page: Page, { xfo, by, allowed, sources }: Framing): Evidence | undefined {
  if (by !== 'frame-ancestors' || allowed !== 'all' || !xfo) return undefined;
  if (xfo.kind !== 'deny' && xfo.kind !== 'sameorigin' && xfo.kind !== 'conflict') return undefined;
  return { ...showXfo(page), ancestors: cut(sources.join(' ')) };
}

function findInMeta({ document }: Page): string | undefined {
  const found = document?.elements.find(
    (element) => element.name === 'meta' && attributeOf(element, 'http-equiv')?.toLowerCase() === header,
  );
  return found && (attributeOf(found, 'content') ?? '');
}
