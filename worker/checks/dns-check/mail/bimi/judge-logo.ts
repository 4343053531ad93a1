import type { BimiCode } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { brokenBy, brokenIf, type Evidence, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import { judgeSvg, type SvgFault } from './judge-svg.ts';
import { type LogoObservation, lineOf } from './read-logo.ts';
import { relativeLengths, sizeOfSvg } from './svg-size.ts';

const drawingCodes = ['bimi-logo-not-tiny-ps', 'bimi-logo-not-square', 'bimi-logo-size-relative'] as const;
const logoCodes = [
  'bimi-logo-unreachable',
  'bimi-logo-not-svg',
  'bimi-logo-not-tiny-ps',
  'bimi-logo-too-large',
  'bimi-logo-not-square',
  'bimi-logo-size-relative',
] as const;
export type LogoCode = Extract<BimiCode, (typeof logoCodes)[number]>;

/** draft-svg-tiny-ps-abrotman §2.4: 32 kilobytes, taken the larger way. */
const advisedBytes = 32 * 1024;

/** Judges the logo, as far as it was seen. */
export function judgeLogo(logo: LogoObservation): Verdicts<LogoCode> {
  const drawing = judgeDrawing(logo);
  if (logo.kind === 'none') return eachOf(logoCodes, 'not-applicable');
  if (logo.kind === 'unseen') return eachOf(logoCodes, notTested(logo.why));
  const { url } = logo;
  if (logo.kind === 'lost')
    return {
      ...eachOf(logoCodes, 'not-applicable'),
      'bimi-logo-unreachable': brokenBy([{ url, reason: logo.reason }]),
    };
  return {
    ...drawing,
    'bimi-logo-unreachable': 'holds',
    'bimi-logo-not-svg':
      logo.kind === 'too-long'
        ? unread
        : brokenBy(logo.kind === 'other' ? [{ url, problem: logo.problem }] : []),
    'bimi-logo-too-large':
      logo.kind === 'too-long'
        ? brokenBy([{ url, size: 'more than 64 kB' }])
        : brokenIf(logo.sizeBytes > advisedBytes, { url, size: `${Math.ceil(logo.sizeBytes / 1024)} kB` }),
  };
}

const unread = notTested('the logo is longer than 64 kB, and no more is read');

function judgeDrawing(logo: LogoObservation): Verdicts<(typeof drawingCodes)[number]> {
  if (logo.kind !== 'svg') return eachOf(drawingCodes, logo.kind === 'too-long' ? unread : 'not-applicable');
  const { url, xml, text } = logo;
  const size = sizeOfSvg(xml.root);
  const attributes = relativeLengths(xml.root);
  const faults = groupFaults(judgeSvg(xml), text).map((fault) => ({ url, ...fault }));
  return {
    'bimi-logo-not-tiny-ps':
      faults.length === 0 && xml.hasEntities
        ? notTested('the logo declares entities of its own, which are not expanded')
        : brokenBy(faults),
    'bimi-logo-not-square': size
      ? brokenIf(isOblong(size.width, size.height), { url, ...size })
      : notTested('the logo does not say how large it is'),
    'bimi-logo-size-relative': brokenIf(attributes.length > 0, { url, attributes: attributes.join(' and ') }),
  };
}

// Editors write sizes with rounding errors of their own.
function isOblong(width: number, height: number): boolean {
  return Math.abs(width - height) > 0.01 * Math.max(Math.abs(width), Math.abs(height));
}

// One style attribute is told like a hundred of them, each problem once, where it stands first.
function groupFaults(faults: readonly SvgFault[], text: string): Evidence[] {
  return [...Map.groupBy(faults, ({ problem }) => problem)].slice(0, 50).map(([problem, same]) => ({
    problem,
    line: lineOf(text, same[0]?.at ?? 0),
    count: same.length,
  }));
}
