import { sslReportShape } from '../../../catalogue/ssl-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { clip, cut } from '../../visible-text.ts';
import { cellTable, figure, readFields, tableSection } from './figure.ts';
import { codesOfPart, type Marked, markOf, tones, unjudged, verdictWord } from './verdict-marks.ts';

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
  return markup`${chainSection(tls, report)}${protocolSection(tls, report)}${suiteSection(tls)}`;
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
  const toneOf = (certificate: Certificate) => tones[markOfCertificate(certificate, report).mark];
  if (shown.length === 0) return nothing;
  const height = shown.length * rowHeight + 34;
  const end =
    trusted === true
      ? 'a trusted root'
      : trusted === false
        ? `not trusted: ${cut(error ?? 'unknown', 60)}`
        : 'trust unknown';
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${shown.length} certificates as sent, ending at ${end}; the table below says the same.">
${shown.map((certificate, index) => drawCertificate(certificate, { index, atMs, tone: toneOf(certificate) }))}<g class="${tones[markOf(report, certificateCodes).mark]}"><rect class="box" x="1" y="${height - 33}" width="${boxWidth}" height="30" rx="5"/><text x="12" y="${height - 13}">${end}</text></g></svg>`;
  const rows = shown.map((certificate) => [
    markup`<bdi class="value">${cut(certificate.subject, longestName)}</bdi>`,
    markup`${certificate.role}`,
    markup`<bdi class="value">${cut(certificate.issuer, longestName)}</bdi>`,
    markup`${certificate.notBefore.slice(0, 10)}`,
    verdictWord(markOfCertificate(certificate, report), certificate.notAfter.slice(0, 10)),
    markup`${keyWords(certificate.key)}`,
  ]);
  const heads = ['Subject', 'Role', 'Issuer', 'From', 'Until', 'Key'];
  return figure('Certificate chain', picture, cellTable(heads, rows));
}

type PlaceInChain = { readonly index: number; readonly atMs: number; readonly tone: string };

function drawCertificate(certificate: Certificate, { index, atMs, tone }: PlaceInChain): Markup {
  const { subject, role, notBefore, notAfter, key, signatureAlgorithm } = certificate;
  const y = index * rowHeight + 2;
  return markup`<g class="${tone}"><rect class="box" x="1" y="${y}" width="${boxWidth}" height="62" rx="5"/><text x="12" y="${y + 24}" font-weight="600">${shorten(subject)}</text><text class="small quiet" x="12" y="${y + 46}">${role} · ${keyWords(key)} · ${clip(signatureAlgorithm, 30)}</text>
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

const dayMs = 86_400_000;

function leftWords({ notBefore, notAfter }: Dates, atMs: number): string {
  if (atMs < Date.parse(notBefore)) return 'not valid yet';
  const days = Math.floor((Date.parse(notAfter) - atMs) / dayMs);
  return days < 0 ? `ended ${-days} days before the check` : `${days} days left at the check`;
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

function suiteSection({ suites: all }: Tls): Markup {
  if (all.length === 0) return nothing;
  const shown = all.slice(0, mostSuites);
  const rows = shown.map(({ name, versions, bits, forwardSecrecy, aead }) => [
    markup`<bdi class="value">${cut(name, 100)}</bdi>`,
    strength({ bits, forwardSecrecy, aead }),
    markup`${forwardSecrecy ? 'yes' : 'no'}`,
    markup`${aead ? 'yes' : 'no'}`,
    markup`${versions.slice(0, 6).join(', ')}`,
  ]);
  const heads = ['Suite', 'Strength', 'Forward secrecy', 'AEAD', 'Versions'];
  return markup`<section class="picture"><h2>Cipher suites (${all.length})</h2>
<details${shown.length > mostUnfolded ? nothing : markup` open`}><summary>${countStrengths(all)}, in the order in which the server chose them</summary><div class="scroll" role="region" aria-label="Cipher suites" tabindex="0">${cellTable(heads, rows)}</div></details></section>
`;
}

/** A longer list would stand between a reader and the findings. */
const mostUnfolded = 8;

type Suite = Pick<Tls['suites'][number], 'bits' | 'forwardSecrecy' | 'aead'>;

function countStrengths(suites: readonly Suite[]): string {
  const groups = Map.groupBy(suites, strengthOf);
  return (['strong', 'fair', 'weak'] as const)
    .flatMap((words) => (groups.has(words) ? [`${groups.get(words)?.length} ${words}`] : []))
    .join(', ');
}

/** Three steps: what every attack known today leaves alone, what only lacks one protection, and the rest. */
function strengthOf({ bits, forwardSecrecy, aead }: Suite): keyof typeof strengths {
  if (bits < 128) return 'weak';
  return forwardSecrecy && aead ? 'strong' : 'fair';
}

const strengths = {
  strong: { steps: 3, tone: 'pass' },
  fair: { steps: 2, tone: 'medium' },
  weak: { steps: 1, tone: 'high' },
} as const;

function strength(suite: Suite): Markup {
  const words = strengthOf(suite);
  const { steps, tone } = strengths[words];
  return markup`<svg class="${tone}" width="60" height="10" viewBox="0 0 60 10" aria-hidden="true"><rect class="bar-track" width="60" height="10"/><rect class="bar" width="${steps * 20}" height="10"/></svg> ${words}`;
}

function shorten(text: string): string {
  return text.length > 52 ? `${clip(text, 51)}…` : text;
}
