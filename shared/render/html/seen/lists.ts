import { dnsReportShape } from '../../../catalogue/dns-check/report.ts';
import { domainHealthReportShape } from '../../../catalogue/domain-health/report.ts';
import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import { type SslLabsLetter, sslReportShape } from '../../../catalogue/ssl-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { labelOf, partLabelOf } from '../../labels.ts';
import { titleOf } from '../../report-words.ts';
import { readFields } from '../tables.ts';

/** A list of a report as a table of its own: its field, its heading, and cells in words. */
export type List = {
  readonly name: string;
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
};

/** null, undefined and an empty text: there is nothing to say. */
export type Cell = string | number | null | undefined;

const most = 100;

const makers: { readonly [check: string]: (report: Report) => readonly (List | undefined)[] } = {
  'dns-check': (report) => [mailScoreOf(report)],
  'domain-health': (report) => [familiesOf(report)],
  'pagespeed-check': (report) => [budgetOf(report)],
  'ssl-check': (report) => [clientsOf(report), addressesOf(report)],
};

/** The lists of a report that people read, without those that are empty or not as their check promises. */
export function listsOf(report: Report): readonly List[] {
  const made = Object.hasOwn(makers, report.check) ? (makers[report.check]?.(report) ?? []) : [];
  return made.flatMap((list) => (list && list.rows.length > 0 ? list : []));
}

const { clients, endpoints } = sslReportShape;

function clientsOf(report: Report): List | undefined {
  const seen = readFields(report, { clients })?.clients;
  const rows = seen?.slice(0, most).map(({ name, connects, protocol, suite, reason }) => {
    const words = connects === null ? 'not known' : connects ? 'yes' : 'no';
    return [name, words, protocol, suite, reason];
  });
  const heads = ['Client', 'Connects', 'Version', 'Cipher suite', 'Why'];
  return rows && { name: 'clients', title: 'Clients that can connect', heads, rows };
}

/** A letter of the SSL Server Rating Guide; what two of them mean is no common knowledge. */
export function letterWords(letter: SslLabsLetter): string {
  if (letter === 'T') return 'T, not trusted';
  return letter === 'M' ? 'M, for another name' : letter;
}

const looks = { full: 'everything', short: 'certificate and versions', handshake: 'one handshake' } as const;
const addressStates = {
  complete: 'reached',
  unreachable: 'not reached',
  'not-tested': 'not tested',
} as const;

function addressesOf(report: Report): List | undefined {
  const seen = readFields(report, { endpoints })?.endpoints;
  const rows = seen
    ?.slice(0, most)
    .map(({ address, state, look, protocol, alpn, trusted, trustError, grade, reason }) => {
      const why = trustError == null ? '' : `: ${trustError.replaceAll('-', ' ')}`;
      const trust = trusted == null ? null : trusted ? 'trusted' : `not trusted${why}`;
      return [
        address,
        addressStates[state],
        looks[look],
        protocol,
        alpn,
        trust,
        grade && letterWords(grade),
        reason,
      ];
    });
  const heads = [
    'Address',
    'State',
    'Looked at',
    'Version',
    'ALPN',
    'Certificate',
    labelOf('sslLabsEquivalent'),
    'Why',
  ];
  return rows && { name: 'endpoints', title: 'Each address', heads, rows };
}

const { mailScoreParts } = dnsReportShape;

function mailScoreOf(report: Report): List | undefined {
  const parts = readFields(report, { mailScoreParts })?.mailScoreParts;
  // Where none of them counts, each row would only say so again.
  const counted = parts?.filter(({ score }) => score !== null) ?? [];
  const rows = counted.map(({ part, score, weight, lost }) => [
    capitalized(partLabelOf(part)),
    `${score} of ${weight}`,
    lost.map(({ code }) => titleOf(report, code) ?? code).join(', '),
  ]);
  return { name: 'mailScoreParts', title: 'Mail score', heads: ['Part', 'Points', 'Why not all'], rows };
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const { addressFamilies } = domainHealthReportShape;
const familyStates = {
  answers: 'answers',
  partly: 'answers in part',
  'no-answer': 'does not answer',
  'no-address': 'has no address',
  unknown: 'not known',
} as const;

function familiesOf(report: Report): List | undefined {
  const families = readFields(report, { addressFamilies })?.addressFamilies;
  const rows = families?.map(({ family, state, reason }) => [family, familyStates[state], reason]);
  return (
    rows && {
      name: 'addressFamilies',
      title: 'Over IPv4 and IPv6',
      heads: ['Family', 'Web host', 'Why'],
      rows,
    }
  );
}

const { budget } = pagespeedReportShape;

function budgetOf(report: Report): List | undefined {
  const kept = readFields(report, { budget })?.budget;
  const rows = kept?.entries.map(({ metric, limit, value, kept: is }) => [
    labelOf(metric),
    limit,
    value,
    is === null ? 'not known' : is ? 'yes' : 'no',
  ]);
  return rows && { name: 'budget', title: 'Budget', heads: ['Metric', 'Limit', 'Measured', 'Kept'], rows };
}
