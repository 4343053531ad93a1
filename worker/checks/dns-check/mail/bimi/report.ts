import type { MailFields, MailMode } from '#shared/catalogue/dns-check/mail/report';
import { clip } from '../../../../mail/fault.ts';
import type { BimiFiles } from '../evidence.ts';
import { stateOfRecord } from '../state-of-record.ts';
import type { BimiFacts } from './facts.ts';
import { titleOf } from './judge-svg.ts';
import type { Xml } from './parse-xml.ts';
import { readLogo } from './read-logo.ts';
import { readMark } from './read-mark-file.ts';
import { sizeOfSvg } from './svg-size.ts';

type Shown = MailFields['bimi'];

/** The field `bimi` of the report. */
export function reportBimi(
  { observation, texts, bimi, faults }: BimiFacts,
  mode: MailMode,
  files: BimiFiles | undefined,
): Shown {
  return {
    state: stateOfRecord({ observation, texts, value: bimi, faults }, mode),
    record: texts[0] === undefined ? null : clip(texts[0], 500),
    logo: bimi?.logo ?? null,
    authority: bimi?.authority ?? null,
    logoFile: showLogo(files),
    certificate: showMark(files),
  };
}

function showLogo(files: BimiFiles | undefined): Shown['logoFile'] {
  const logo = readLogo(files?.logo);
  if (logo.kind === 'none' || logo.kind === 'unseen' || logo.kind === 'lost') return null;
  const { url } = logo;
  const unread = { sizeBytes: null, compressed: false, title: null, width: null, height: null };
  if (logo.kind === 'too-long') return { ...unread, url };
  const { sizeBytes, form } = logo;
  const file = { ...unread, url, sizeBytes, compressed: form.startsWith('gzip') };
  return logo.kind === 'svg' ? { ...file, ...showDrawing(logo.xml) } : file;
}

function showDrawing(xml: Xml): Pick<NonNullable<Shown['logoFile']>, 'title' | 'width' | 'height'> {
  const title = titleOf(xml);
  const { width, height } = sizeOfSvg(xml.root) ?? { width: null, height: null };
  return { title: title === null ? null : clip(title), width, height };
}

function showMark(files: BimiFiles | undefined): Shown['certificate'] {
  const mark = readMark(files?.mark);
  if (mark.kind !== 'chain') return null;
  const [certificate] = mark.chain;
  const { kind, subject, issuer, names, validFrom, validUntil } = certificate;
  return {
    url: mark.url,
    kind,
    subject: clip(subject),
    issuer: clip(issuer),
    names: clip(names),
    validFrom,
    validUntil,
    trusted: null,
  };
}
