import { sslReportShape } from '../../../catalogue/ssl-check/report.ts';
import { countOf, spanWords } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { titleOf } from '../../report-words.ts';
import { clip, cut } from '../../visible-text.ts';
import { cellTable, figure, readFields, tableSection } from '../tables.ts';
import {
  codesOfPart,
  type Marked,
  markOf,
  markOfThing,
  tonedBy,
  unjudged,
  verdictWord,
} from './verdict-marks.ts';

const { certificates, trust, protocols, suites } = sslReportShape;
type Tls = NonNullable<ReturnType<typeof readTls>>;
type Certificate = Tls['certificates'][number];

const mostCertificates = 8;
const mostSuites = 60;
const longestName = 300;

/** The chain as it was sent with its dates, the protocols, and the suites by strength. */
export function drawTls(report: Report): Markup {
  const tls = readTls(report);
  if (!tls) return nothing;
  return markup`${chainSection(tls, report)}${protocolSection(tls, report)}${suiteSection(tls, report)}${sslLabsSection(report)}`;
}

function readTls(report: Report) {
  return readFields(report, { certificates, trust, protocols, suites });
}

const rowHeight = 92;
const boxWidth = 420;
const lineLeft = 470;
const lineWidth = 210;
const width = lineLeft + lineWidth + 10;

const check = 'ssl-check';
const certificateCodes = codesOfPart(check, 'certificate');

/** The leaf stands for every rule about certificates, one below it for those about its own dates; nothing is judged of others. */
function markOfCertificate({ role }: Certificate, report: Report): Marked {
  if (role === 'leaf') return markOf(report, certificateCodes);
  return role === 'intermediate' ? markOf(report, ['chain-certificate-expired']) : unjudged;
}

function chainSection({ certificates: all, trust: { trusted, error } }: Tls, report: Report): Markup {
  const shown = all.slice(0, mostCertificates);
  const atMs = Date.parse(report.checkedAt);
  if (shown.length === 0) return nothing;
  const height = shown.length * rowHeight + 34;
  const end =
    trusted === true
      ? 'a trusted root'
      : trusted === false
        ? `not trusted: ${cut(error ?? 'unknown', 60)}`
        : 'trust unknown';
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${countOf(shown.length, 'certificate')} as sent, ending at ${end}; the table below says the same.">
${shown.map((certificate, index) => drawCertificate(certificate, { index, atMs, marked: markOfCertificate(certificate, report) }))}<g ${tonedBy(markOf(report, certificateCodes))}><rect class="box" x="1" y="${height - 33}" width="${boxWidth}" height="30" rx="5"/><text x="12" y="${height - 13}">${end}</text></g></svg>`;
  const rows = shown.map((certificate) => [
    markup`<bdi class="value">${cut(certificate.subject, longestName)}</bdi>`,
    markup`${certificate.role}`,
    markup`<bdi class="value">${cut(certificate.issuer, longestName)}</bdi>`,
    markup`${certificate.notBefore.slice(0, 10)}`,
    verdictWord(markOfCertificate(certificate, report), certificate.notAfter.slice(0, 10)),
    markup`${keyWords(certificate.key)}`,
  ]);
  const heads = ['Subject', 'Role', 'Issuer', 'From', 'Until', 'Key'];
  const upright = markup`<ol class="chain">${shown.map((certificate) => certificateItem(certificate, atMs, markOfCertificate(certificate, report)))}<li>${verdictWord(markOf(report, certificateCodes), end)}</li></ol>`;
  return figure('Certificate chain', { wide: picture, upright, table: cellTable(heads, rows) });
}

function certificateItem(certificate: Certificate, atMs: number, marked: Marked): Markup {
  const { subject, role, notBefore, notAfter, key } = certificate;
  return markup`<li><bdi class="value"><b>${cut(subject, longestName)}</b></bdi><br>${role} · ${keyWords(key)}<br>${notBefore.slice(0, 10)} to ${notAfter.slice(0, 10)}<br>${verdictWord(marked, leftWords(certificate, atMs))}</li>
`;
}

type PlaceInChain = { readonly index: number; readonly atMs: number; readonly marked: Marked };

function drawCertificate(certificate: Certificate, { index, atMs, marked }: PlaceInChain): Markup {
  const { subject, role, notBefore, notAfter, key, signatureAlgorithm } = certificate;
  const y = index * rowHeight + 2;
  return markup`<g ${tonedBy(marked)}><rect class="box" x="1" y="${y}" width="${boxWidth}" height="62" rx="5"/><text x="12" y="${y + 24}" font-weight="600">${shorten(subject)}</text><text class="small quiet" x="12" y="${y + 46}">${role} · ${keyWords(key)} · ${clip(signatureAlgorithm, 30)}</text>
<path class="wire" d="M40 ${y + 62}v21"/><path class="band" d="M40 ${y + 90}l-5 -8h10z"/>
<rect class="bar-track" x="${lineLeft}" y="${y + 28}" width="${lineWidth}" height="8"/><rect class="band" x="${lineLeft}" y="${y + 28}" width="${usedWidth(certificate, atMs)}" height="8"/><text class="small quiet" x="${lineLeft}" y="${y + 20}">${notBefore.slice(0, 10)}</text><text class="small quiet" x="${lineLeft + lineWidth}" y="${y + 20}" text-anchor="end">${notAfter.slice(0, 10)}</text><text class="small" x="${lineLeft}" y="${y + 54}">${leftWords(certificate, atMs)}</text></g>
`;
}

type Dates = Pick<Certificate, 'notBefore' | 'notAfter'>;

function usedWidth({ notBefore, notAfter }: Dates, atMs: number): number {
  const [from, until] = [Date.parse(notBefore), Date.parse(notAfter)];
  const share = (atMs - from) / Math.max(1, until - from);
  return Math.round(Math.min(1, Math.max(0, share)) * lineWidth);
}

function leftWords({ notBefore, notAfter }: Dates, atMs: number): string {
  if (atMs < Date.parse(notBefore)) return 'not valid yet';
  const leftMs = Date.parse(notAfter) - atMs;
  return leftMs < 0
    ? `ended ${spanWords(-leftMs)} before the check`
    : `${spanWords(leftMs)} left at the check`;
}

function keyWords({ type, bits, curve }: Certificate['key']): string {
  const words = [type, curve ?? (bits === null ? '' : String(bits))].filter((word) => word !== '');
  return clip(words.join(' '), 40);
}

const versionCodes: { readonly [version: string]: readonly string[] } = {
  SSLv2: ['sslv2-offered'],
  SSLv3: ['sslv3-offered', 'sslv3-cbc-offered'],
  TLSv1: ['tls10-offered'],
  'TLSv1.1': ['tls11-offered'],
  'TLSv1.2': ['tls12-missing'],
  'TLSv1.3': ['tls13-missing'],
};

function protocolSection({ protocols: all }: Tls, report: Report): Markup {
  const pills = Object.entries(all)
    .slice(0, 12)
    .map(([name, isOffered]) => {
      const words = isOffered === null ? 'unknown' : isOffered ? 'offered' : 'not offered';
      return [markup`${cut(name, 20)}`, verdictWord(markOf(report, versionCodes[name] ?? []), words)];
    });
  return pills.length === 0 ? nothing : tableSection('Protocols', cellTable(['Version', 'Server'], pills));
}

function suiteSection({ suites: all }: Tls, report: Report): Markup {
  if (all.length === 0) return nothing;
  const shown = all.slice(0, mostSuites);
  const marks = all.map(({ name }) => markOfThing(report, suiteCodes, [name]));
  const rows = shown.map(({ name, versions, forwardSecrecy, aead }, index) => [
    markup`<bdi class="value">${cut(name, 100)}</bdi>`,
    strength(marks[index] ?? unjudged),
    markup`${forwardSecrecy ? 'yes' : 'no'}`,
    markup`${aead ? 'yes' : 'no'}`,
    markup`${versions.slice(0, 6).join(', ')}`,
  ]);
  const heads = ['Suite', 'Verdict', 'Forward secrecy', 'AEAD', 'Versions'];
  return markup`<section class="picture"><h2>Cipher suites (${all.length})</h2>
<details${shown.length > mostUnfolded ? nothing : markup` open`}><summary>${countStrengths(marks)}, in the order in which the server chose them</summary><div class="scroll" role="region" aria-label="Cipher suites" tabindex="0">${cellTable(heads, rows)}</div></details></section>
`;
}

/** A longer list would stand between a reader and the findings. */
const mostUnfolded = 8;

const suiteCodes = codesOfPart(check, 'suites');

function countStrengths(marks: readonly Marked[]): string {
  const groups = Map.groupBy(marks, ({ mark }) => mark);
  return (['good', 'warned', 'bad', 'unknown'] as const)
    .flatMap((mark) => (groups.has(mark) ? [`${groups.get(mark)?.length} ${strengths[mark].words}`] : []))
    .join(', ');
}

/** By the rules that name a suite: how many of three steps its bar has. */
const strengths = {
  good: { steps: 3, words: 'sound' },
  warned: { steps: 2, words: 'with a weak point' },
  bad: { steps: 1, words: 'weak' },
  unknown: { steps: 0, words: 'not judged' },
} as const;

function strength(marked: Marked): Markup {
  const { steps, words } = strengths[marked.mark];
  return markup`<svg ${tonedBy(marked)} width="60" height="10" viewBox="0 0 60 10" aria-hidden="true"><rect class="bar-track" width="60" height="10"/><rect class="bar" width="${steps * 20}" height="10"/></svg> ${verdictWord(marked, words)}`;
}

function shorten(text: string): string {
  return text.length > 52 ? `${clip(text, 51)}…` : text;
}

const { sslLabsEquivalent, sslLabs } = sslReportShape;

/** The letter of the SSL Server Rating Guide, and what it is made of. */
function sslLabsSection(report: Report): Markup {
  const seen = readFields(report, { sslLabsEquivalent, sslLabs });
  if (!seen?.sslLabs) return nothing;
  const { protocolScore, keyExchangeScore, cipherScore, caps, score } = seen.sslLabs;
  const parts = [
    ['Protocols', protocolScore, '30 %'],
    ['Key exchange', keyExchangeScore, '30 %'],
    ['Cipher strength', cipherScore, '40 %'],
  ] as const;
  const rows = parts.map(([name, points, weight]) => [
    markup`${name}`,
    markup`${points} of 100`,
    markup`${weight}`,
  ]);
  const limits = caps.map(
    ({ letter, code }) => markup`<li>${letterWords(letter)}: ${titleOf(report, code) ?? code}</li>`,
  );
  return markup`${tableSection(
    `By the rules of SSL Labs: ${seen.sslLabsEquivalent ?? 'no letter'}`,
    cellTable(['Part', 'Score', 'Weight'], [...rows, [markup`Together`, markup`${score} of 100`, markup``]]),
  )}${limits.length === 0 ? nothing : markup`<p>What limits the letter:</p><ul>${limits}</ul>\n`}`;
}

function letterWords(letter: string): string {
  if (letter === 'T') return 'T, not trusted';
  return letter === 'M' ? 'M, another name' : `at most ${letter}`;
}
