import { framingRules } from '#shared/catalogue/security-header-check/rules/framing';
import { allOf, brokenBy, type Evidence, notTested, type Verdicts } from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import { type Framing, readFraming } from '../facts/framing.ts';
import { type Page, whyHeadUnread } from '../facts/page.ts';
import { attributeOf } from '../facts/policies.ts';
import type { XFrameOptions } from '../grammar/x-frame-options.ts';
import { brokenWhen, cut, fieldAt, where } from './verdict-tables.ts';

const header = 'x-frame-options';

type FramingCode = keyof typeof framingRules;

/** Judges who may frame the page, by what browsers do and not by which header is there. */
export function judgeFraming(page: Page): Verdicts<FramingCode> {
  const framing = readFraming(page);
  const absent = allOf(framingRules, 'not-applicable');
  if (!page.isDocument) return absent;
  if (framing.by === 'nothing') return { ...absent, ...judgeUndecided(page, framing) };
  const { xfo, by } = framing;
  return {
    ...absent,
    'framing-open': 'holds',
    'framing-allow-all': brokenWhen(framing.allowed === 'all' && showRule(page, framing)),
    'xfo-overridden': where(
      by === 'frame-ancestors' && xfo !== undefined,
      brokenWhen(findOverridden(page, framing)),
    ),
    'csp-frame-ancestors-missing': by === 'frame-ancestors' ? 'holds' : 'not-applicable',
    ...(by === 'x-frame-options' && xfo ? judgeDecisive(page, framing, xfo) : {}),
  };
}

// Nothing that counts was sent; one of these four says why, and of the others only what was sent is judged.
function judgeUndecided(page: Page, { xfo }: Framing): Partial<Verdicts<FramingCode>> {
  if (xfo)
    return {
      'xfo-allow-from': brokenWhen(xfo.kind === 'allow-from' && showXfo(page)),
      'xfo-invalid': brokenWhen(xfo.kind === 'invalid' && showXfo(page)),
    };
  const inMeta = findInMeta(page);
  const seen = { hop: page.index, url: page.hop.url };
  if (inMeta !== undefined)
    return { 'xfo-in-meta': brokenBy([{ ...seen, header: 'meta', value: cut(inMeta) }]) };
  const unread = whyHeadUnread(page);
  return {
    'framing-open': brokenBy([seen]),
    'xfo-in-meta': unread === null ? 'holds' : notTested(unread),
  };
}

function judgeDecisive(page: Page, { allowed }: Framing, xfo: XFrameOptions): Partial<Verdicts<FramingCode>> {
  const { kind, values, count } = xfo;
  const seen = showXfo(page);
  return {
    'xfo-duplicate': brokenWhen(values.length === 1 && count > 1 && { ...seen, count }),
    'xfo-conflict': brokenWhen(kind === 'conflict' && { ...seen, values: cut(values.join(' and ')) }),
    'xfo-allow-from': 'holds',
    'xfo-invalid': 'holds',
    'csp-frame-ancestors-missing': where(allowed !== 'all', brokenBy([seen])),
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
