import type { z } from 'zod';
import {
  type AddressState,
  type DaneState,
  type StartTlsState,
  smtpReportShape,
} from '../../../catalogue/smtp-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection } from '../tables.ts';
import { codesOfPart, type Marked, markOfThing, unjudged, verdictWord } from './verdict-marks.ts';

/** Each address of each mail host: whether it talks, encrypts, and proves who it is. */
export function drawMail(report: Report): Markup {
  const rows = mailRowsOf(report);
  if (rows.length === 0) return nothing;
  return tableSection('Mail hosts', cellTable(['Mail host', ...mailHeads], rows.map(rowOf)));
}

function rowOf({ host, address, cells }: MailRow): readonly Markup[] {
  return [
    markup`${breakable(cut(host, 100))}${address === null ? nothing : markup`<br>${breakable(cut(address, 45))}`}`,
    ...cells.map(({ words, marked }) => verdictWord(marked, cut(words, 120))),
  ];
}

/** A name or address that a narrow column breaks behind its dots and colons. */
function breakable(name: string): Markup {
  const pieces = name.split(/(?<=[.:])/);
  return markup`<bdi class="value">${pieces.map((piece, at) => (at === 0 ? markup`${piece}` : markup`<wbr>${piece}`))}</bdi>`;
}

/** What is to be read of an address of a mail host: a cell of a table, with its mark. */
type MailCell = { readonly head: string; readonly words: string; readonly marked: Marked };
/** @property address null where the host has none */
type MailRow = {
  readonly host: string;
  readonly address: string | null;
  readonly cells: readonly MailCell[];
};

type Host = z.infer<typeof smtpReportShape.hosts>[number];
type Address = Host['addresses'][number];

const mostRows = 20;
const check = 'smtp-check';
const ofHost = ['mail-host-unreachable'];
const ofCertificate = ['smtp-certificate-unverified', 'smtp-key-weak'];
const ofPart = {
  connection: codesOfPart(check, 'connection', 'greeting').filter(
    (code) => code !== 'mail-hosts-differ' && !ofHost.includes(code),
  ),
  starttls: codesOfPart(check, 'starttls'),
  tls: codesOfPart(check, 'tls').filter((code) => !ofCertificate.includes(code)),
  dane: codesOfPart(check, 'dane'),
  sts: codesOfPart(check, 'mta-sts'),
};

const answers: { readonly [S in AddressState]: string } = {
  ok: 'answers',
  temporary: 'not now',
  refused: 'refused',
  silent: 'silent',
  'blocked-here': 'port 25 is blocked here',
  unknown: 'not known',
};
const encryption: { readonly [S in StartTlsState]: string } = {
  ok: 'works',
  missing: 'not offered',
  refused: 'refused',
  broken: 'fails',
  unknown: 'not known',
};
const dane: { readonly [S in DaneState]: string } = {
  ok: 'matches',
  none: 'no records',
  mismatch: 'no match',
  unusable: 'records of no use',
  insecure: 'zone not signed',
  unknown: 'not known',
};

/** The addresses of the mail hosts in the order of the report, the first twenty; none where the report is of another check. */
export function mailRowsOf(report: Report): readonly MailRow[] {
  if (report.check !== check) return [];
  const { hosts = [] } = readFields(report, { hosts: smtpReportShape.hosts }) ?? {};
  return hosts.flatMap((host) => rowsOf(report, host)).slice(0, mostRows);
}

function rowsOf(report: Report, { host, reason, addresses }: Host): readonly MailRow[] {
  if (addresses.length > 0)
    return addresses.map((one) => ({ host, address: one.address, cells: cellsOf(report, host, one) }));
  const words = reason ?? 'no address';
  const marked = markOfThing(report, ofHost, [host]);
  return [{ host, address: null, cells: [{ head: 'Answer', words, marked }] }];
}

function cellsOf(report: Report, host: string, one: Address): readonly MailCell[] {
  const { address, state, startTls, protocol, oldVersions, trust, certificates, mtaSts } = one;
  const mark = (codes: readonly string[], is: Seen) =>
    is.isSeen ? rightly(markOfThing(report, codes, [address]), is) : unjudged;
  const proof = (held: string) => ({
    isSeen: held === 'ok' || held === 'mismatch',
    isRight: held === 'ok',
  });
  const end = certificates[0]?.notAfter.slice(0, 10) ?? '';
  const trusted = { isSeen: trust.trusted !== null, isRight: trust.trusted === true };
  const tls = { isSeen: protocol !== null, isRight: true };
  return [
    { head: 'Answer', words: answers[state], marked: markOfAnswer(report, host, one) },
    {
      head: 'STARTTLS',
      words: encryption[startTls],
      marked: mark(ofPart.starttls, { isSeen: startTls !== 'unknown', isRight: startTls === 'ok' }),
    },
    {
      head: 'TLS',
      words: `${protocol ?? 'not seen'}${oldVersions === 'accepted' ? ', and older' : ''}`,
      marked: mark(ofPart.tls, tls),
    },
    {
      head: 'Certificate',
      words: describeTrust(trust.trusted, end),
      marked: mark(ofCertificate, trusted),
    },
    { head: 'DANE', words: dane[one.dane.state], marked: mark(ofPart.dane, proof(one.dane.state)) },
    { head: 'MTA-STS', words: describePolicy(mtaSts), marked: mark(ofPart.sts, proof(mtaSts.state)) },
  ];
}

type Seen = { readonly isSeen: boolean; readonly isRight: boolean };

/** What is not as it should be has no good mark where the rules about it only inform, or leave it to another check. */
function rightly(marked: Marked, { isRight }: Pick<Seen, 'isRight'>): Marked {
  return marked.mark === 'good' && !isRight ? unjudged : marked;
}

/** A host that nobody reaches is reported by its name alone, all else by the address. */
function markOfAnswer(report: Report, host: string, { address, state }: Address): Marked {
  const whole = markOfThing(report, ofHost, [host]);
  if (whole.mark === 'warned') return whole;
  return rightly(markOfThing(report, ofPart.connection, [address]), { isRight: state === 'ok' });
}

function describeTrust(isTrusted: boolean | null, end: string): string {
  if (isTrusted === null) return 'not seen';
  return isTrusted ? `until ${end}` : 'not trusted';
}

function describePolicy({ mode, state }: Address['mtaSts']): string {
  if (state === 'not-applicable') return 'no policy';
  if (mode === 'unknown') return 'policy not known';
  const words = { ok: 'kept', mismatch: 'not kept', unknown: 'not known' } as const;
  return `${mode}: ${words[state]}`;
}

/** The heads of the columns behind host and address. */
export const mailHeads = ['Answer', 'STARTTLS', 'TLS', 'Certificate', 'DANE', 'MTA-STS'] as const;
