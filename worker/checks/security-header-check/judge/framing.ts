import { framingRules } from '#shared/catalogue/security-header-check/rules/framing';
import {
  allOf,
  brokenBy,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { valuesOf } from '../../../web/fields.ts';
import { type Framing, readFraming } from '../facts/framing.ts';
import { type PageFacts, whyHeadUnread } from '../facts/page.ts';
import { attributeOf } from '../facts/policies.ts';
import { brokenWhen, cut, fieldAt, where } from './verdict-tables.ts';

const header = 'x-frame-options';

type FramingCode = keyof typeof framingRules;

/** Judges who may frame the page, by what browsers do and not by which header is there. */
export function judgeFraming(page: PageFacts): Verdicts<FramingCode> {
  if (!page.isDocument) return allOf(framingRules, 'not-applicable');
  const framing = readFraming(page);
  return framing.by === 'nothing' ? judgeUndecided(page, framing) : judgeDecided(page, framing);
}

// Nothing that counts was sent; one of these four says why, and of the others only what was sent is judged.
function judgeUndecided(page: PageFacts, { xfo }: Framing): Verdicts<FramingCode> {
  const inMeta = xfo ? undefined : findInMeta(page);
  const seen = { hop: page.index, url: page.hop.url };
  return {
    'framing-open': where(!xfo && inMeta === undefined, brokenBy([seen])),
    'framing-allow-all': 'not-applicable',
    'xfo-allow-from': where(xfo !== undefined, brokenWhen(xfo?.kind === 'allow-from' && showXfo(page))),
    'xfo-invalid': where(xfo !== undefined, brokenWhen(xfo?.kind === 'invalid' && showXfo(page))),
    'xfo-in-meta': where(!xfo, judgeMeta(page, inMeta)),
    'xfo-duplicate': 'not-applicable',
    'xfo-conflict': 'not-applicable',
    'xfo-overridden': 'not-applicable',
    'csp-frame-ancestors-missing': 'not-applicable',
  };
}

function judgeMeta(page: PageFacts, inMeta: string | undefined): Verdict {
  if (inMeta !== undefined)
    return brokenBy([{ hop: page.index, url: page.hop.url, header: 'meta', value: cut(inMeta) }]);
  const unread = whyHeadUnread(page);
  return unread === null ? 'holds' : notTested(unread);
}

function judgeDecided(page: PageFacts, framing: Framing): Verdicts<FramingCode> {
  const { xfo, by, allowed } = framing;
  const decisive = by === 'x-frame-options' ? xfo : undefined;
  const isDecisive = decisive !== undefined;
  const seen = showXfo(page);
  return {
    'framing-open': 'holds',
    'framing-allow-all': brokenWhen(allowed === 'all' && showRule(page, framing)),
    'xfo-allow-from': where(isDecisive, 'holds'),
    'xfo-invalid': where(isDecisive, 'holds'),
    'xfo-in-meta': 'not-applicable',
    'xfo-duplicate': where(
      isDecisive,
      brokenWhen(decisive?.values.length === 1 && decisive.count > 1 && { ...seen, count: decisive.count }),
    ),
    'xfo-conflict': where(
      isDecisive,
      brokenWhen(decisive?.kind === 'conflict' && { ...seen, values: cut(decisive.values.join(' and ')) }),
    ),
    'xfo-overridden': where(!isDecisive && xfo !== undefined, brokenWhen(findOverridden(page, framing))),
    'csp-frame-ancestors-missing': isDecisive ? where(allowed !== 'all', brokenBy([seen])) : 'holds',
  };
}

function showRule(page: PageFacts, { by, sources }: Framing): Evidence {
  return fieldAt(page, by === 'frame-ancestors' ? 'frame-ancestors' : header, sources.join(' '));
}

function showXfo(page: PageFacts): Evidence {
  return fieldAt(page, header, valuesOf(page.fields, header).join(', '));
}

// A list of partners beside DENY for browsers without frame-ancestors is common and meant; a list that lets everyone in is not.
function findOverridden(page: PageFacts, { xfo, by, allowed, sources }: Framing): Evidence | undefined {
  if (by !== 'frame-ancestors' || allowed !== 'all' || !xfo) return undefined;
  if (xfo.kind !== 'deny' && xfo.kind !== 'sameorigin' && xfo.kind !== 'conflict') return undefined;
  return { ...showXfo(page), ancestors: cut(sources.join(' ')) };
}

function findInMeta({ document }: PageFacts): string | undefined {
  const found = document?.elements.find(
    (element) => element.name === 'meta' && attributeOf(element, 'http-equiv')?.toLowerCase() === header,
  );
  return found && (attributeOf(found, 'content') ?? '');
}
