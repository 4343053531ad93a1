import { smtpReportShape } from '../../../catalogue/smtp-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection } from './figure.ts';
import { codesOfPart, type Marked, markOfThing, unjudged, verdictWord } from './verdict-marks.ts';

const { hosts } = smtpReportShape;
type Mail = NonNullable<ReturnType<typeof readMail>>;
type Address = Mail['hosts'][number]['addresses'][number];

const mostRows = 20;
const check = 'smtp-check';
const ofPart = {
  connection: codesOfPart(check, 'connection', 'greeting').filter((code) => code !== 'mail-hosts-differ'),
  starttls: codesOfPart(check, 'starttls'),
  tls: codesOfPart(check, 'tls'),
  dane: codesOfPart(check, 'dane'),
  sts: codesOfPart(check, 'mta-sts'),
};

/** Each address of each mail host: whether it talks, encrypts, and proves who it is. */
export function drawMail(report: Report): Markup {
  const mail = readMail(report);
  const rows = (mail?.hosts ?? []).flatMap(({ host, addresses }) =>
    addresses.map((one) => rowOf(report, host, one)),
  );
  if (rows.length === 0) return nothing;
  const heads = ['Mail host', 'Address', 'Answer', 'STARTTLS', 'TLS', 'DANE', 'MTA-STS'];
  return tableSection('Mail hosts', cellTable(heads, rows.slice(0, mostRows)));
}

function readMail(report: Report) {
  return readFields(report, { hosts });
}

function rowOf(report: Report, host: string, one: Address): readonly Markup[] {
  const { address, state, startTls, protocol, dane, mtaSts } = one;
  const mark = (codes: readonly string[], isJudged = true): Marked =>
    isJudged ? markOfThing(report, codes, [address]) : unjudged;
  const isSecure = protocol !== null;
  const hasDane = ['ok', 'mismatch'].includes(dane.state);
  const hasPolicy = ['ok', 'mismatch'].includes(mtaSts.state);
  return [
    markup`<bdi class="value">${cut(host, 100)}</bdi>`,
    markup`${cut(address, 45)}`,
    verdictWord(mark(ofPart.connection, state === 'ok'), state),
    verdictWord(mark(ofPart.starttls, startTls !== 'unknown'), startTls),
    verdictWord(mark(ofPart.tls, isSecure), cut(protocol ?? 'not seen', 20)),
    verdictWord(mark(ofPart.dane, hasDane), dane.state),
    verdictWord(mark(ofPart.sts, hasPolicy), `${mtaSts.mode}: ${mtaSts.state}`),
  ];
}
