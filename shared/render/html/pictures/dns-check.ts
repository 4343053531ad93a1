import type { SpfNode } from '../../../catalogue/dns-check/mail/report.ts';
import { dnsReportShape } from '../../../catalogue/dns-check/report.ts';
import { countOf } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { clip, cut } from '../../visible-text.ts';
import { zoneFile } from '../../zone.ts';
import { cellTable, figure, readFields, tableSection } from '../tables.ts';
import {
  codesOfPart,
  codesWhere,
  type Marked,
  markOf,
  markOfThing,
  tonedBy,
  unjudged,
  verdictWord,
} from './verdict-marks.ts';

const { ns, spf, mx, dmarc, dnssec, records } = dnsReportShape;
type Dns = NonNullable<ReturnType<typeof readDns>>;
type Server = Dns['ns']['servers'][number];

const mostServers = 26;
const longestText = 300;

/** The delegation, the chain of trust, who may send mail and who takes it, and the records as a zone file. */
export function drawDns(report: Report): Markup {
  const dns = readDns(report);
  if (!dns) return nothing;
  const { domain } = report.target;
  const owner = typeof domain === 'string' ? domain : '';
  return markup`${delegationSection(dns, report)}${trustSection(dns, report)}${spfSection(dns, report)}${dmarcSection(dns, report)}${mailSection(dns, report)}${zoneFile(owner, dns.records)}`;
}

function readDns(report: Report) {
  return readFields(report, { ns, spf, mx, dmarc, dnssec, records });
}

const rowHeight = 40;
const boxHeight = 30;
const columns = { zone: 0, name: 190, address: 450 } as const;
const widths = { zone: 140, name: 220, address: 240 } as const;
const width = columns.address + widths.address + 2;

/** Parent to name servers to addresses; the colour says how each address answered, and so does its text. */
function delegationSection({ ns: { servers, parentZone, zone } }: Dns, report: Report): Markup {
  const shown = servers.slice(0, mostServers);
  if (shown.length === 0) return nothing;
  const height = shown.length * rowHeight + 4;
  const middle = height / 2;
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Delegation of ${cut(zone ?? 'the zone', 80)} to ${countOf(shown.length, 'address', 'addresses')}; the table below says the same.">
<rect class="box" x="1" y="${middle - 15}" width="${widths.zone}" height="${boxHeight}" rx="5"/><text x="10" y="${middle + 5}">${shorten(parentWords(parentZone), 16)}</text>
${shown.map((server, index) => drawServer(server, { index, middle, marked: markOfServer(server, report) }))}</svg>`;
  const rows = shown.map((server) => [
    markup`<bdi class="value">${cut(server.name, longestText)}</bdi>`,
    markup`<bdi class="value">${cut(server.ip, 60)}</bdi>`,
    verdictWord(markOfServer(server, report), answerWords(server)),
    markup`${server.rttMs === null ? '–' : `${server.rttMs.toFixed(1)} ms`}`,
    markup`${server.serial ?? '–'}`,
  ]);
  return figure('Delegation', {
    wide: picture,
    upright: markup`<ul class="tree"><li>${parentWords(parentZone)}<ul>${shown.map((server) => serverItem(server, report))}</ul></li></ul>`,
    table: cellTable(['Name server', 'Address', 'Answer', 'Time', 'Serial'], rows),
  });
}

function parentWords(parentZone: string | null): string {
  if (parentZone === null) return 'parent';
  return parentZone === '' ? 'root' : parentZone;
}

function serverItem(server: Server, report: Report): Markup {
  return markup`<li><bdi><b>${cut(server.name, longestText)}</b></bdi><br><bdi class="value">${cut(server.ip, 60)}</bdi> ${verdictWord(markOfServer(server, report), answerWords(server))}</li>
`;
}

const check = 'dns-check';
const nsCodes = codesOfPart(check, 'ns');

/** By the rules that name this address, or the server; one that did not answer is not good where nobody says that it is bad. */
function markOfServer({ name, ip, authoritative }: Server, report: Report): Marked {
  const marked = markOfThing(report, nsCodes, [ip, name]);
  return authoritative === true || marked.mark !== 'good' ? marked : unjudged;
}

type PlaceOfServer = { readonly index: number; readonly middle: number; readonly marked: Marked };

function drawServer(server: Server, { index, middle, marked }: PlaceOfServer): Markup {
  const y = index * rowHeight + 4;
  const line = y + boxHeight / 2;
  return markup`<g ${tonedBy(marked)}><path class="wire" d="M${widths.zone + 1} ${middle}C${columns.name - 15} ${middle} ${columns.name - 35} ${line} ${columns.name} ${line}M${columns.name + widths.name} ${line}H${columns.address}"/>
<rect class="box" x="${columns.name}" y="${y}" width="${widths.name}" height="${boxHeight}" rx="5"/><text x="${columns.name + 10}" y="${line + 5}">${shorten(server.name, 27)}</text><rect class="box" x="${columns.address}" y="${y}" width="${widths.address}" height="${boxHeight}" rx="5"/><text x="${columns.address + 10}" y="${line + 5}">${shorten(server.ip, 20)}</text><text class="small quiet" x="${columns.address + widths.address - 8}" y="${line + 4}" text-anchor="end">${answerWords(server)}</text></g>
`;
}

function answerWords({ authoritative }: Server): string {
  if (authoritative === null) return 'no answer';
  return authoritative ? 'answers' : 'not for this zone';
}

const dnssecCodes = codesOfPart(check, 'dnssec');
const dsCodes = codesWhere(check, (code) => code.startsWith('dnssec-ds'));

function trustSection(
  { dnssec: { status, reason, ds, keys, signaturesUntil } }: Dns,
  report: Report,
): Markup {
  const rows = [
    [markup`Status`, verdictWord(markOf(report, dnssecCodes), status), markup`${cut(reason, longestText)}`],
    ...ds
      .slice(0, 8)
      .map(({ keyTag, algorithm, matches }) => [
        markup`DS at the parent`,
        verdictWord(
          matches === null ? unjudged : markOfThing(report, dsCodes, [String(keyTag)]),
          matches === true ? 'matches a key' : matches === false ? 'matches no key' : 'unknown',
        ),
        markup`key ${keyTag}, algorithm ${algorithm}`,
      ]),
    ...keys
      .slice(0, 8)
      .map(({ keyTag, algorithmName, role, bits }) => [
        markup`Key`,
        markup`${role.replace('-', ' ')}`,
        markup`key ${keyTag}, ${cut(algorithmName, 40)}${bits === null ? nothing : markup`, ${bits} bits`}`,
      ]),
    ...(signaturesUntil === null
      ? []
      : [[markup`Signatures`, markup`until`, markup`${signaturesUntil.slice(0, 10)}`]]),
  ];
  return tableSection('DNSSEC: chain of trust', cellTable(['Link', 'State', 'What'], rows));
}

const lookupLimit = 10;
const deepestInclude = 12;

const spfCodes = codesOfPart(check, 'spf');
const lookupCodes = ['spf-too-many-lookups', 'spf-near-limit'];

function spfSection({ spf: { tree, lookups, all } }: Dns, report: Report): Markup {
  if (tree === null) return nothing;
  const count = lookups ?? tree.lookups;
  const filled = Math.min(1, count / lookupLimit) * 300;
  const room = { nodes: 60 };
  return markup`<section class="picture"><h2>SPF: ${count} of ${lookupLimit} lookups</h2>
<svg ${tonedBy(markOf(report, lookupCodes))} width="300" height="12" viewBox="0 0 300 12" role="img" aria-label="${count} of ${lookupLimit} lookups are used"><rect class="bar-track" width="300" height="12"/><rect class="bar" width="${Math.round(filled)}" height="12"/></svg>
<p>All other senders: <code>${all ?? 'nothing is said'}</code></p>
<ul class="tree">${spfItem(tree, 0, { room, report })}</ul></section>
`;
}

type Branch = { readonly room: { nodes: number }; readonly report: Report };

function spfItem(node: SpfNode, depth: number, branch: Branch): Markup {
  const { room, report } = branch;
  room.nodes -= 1;
  if (room.nodes < 0 || depth > deepestInclude) return markup`<li class="more">… more</li>`;
  const below = node.children.slice(0, 20).map((child) => spfItem(child, depth + 1, branch));
  const words = countOf(node.lookups, 'lookup');
  return markup`<li>${node.via === null ? nothing : markup`<code>${cut(node.via, 100)}</code> → `}<bdi><b>${cut(node.domain, 100)}</b></bdi> ${verdictWord(markOfNode(node, depth, report), words)}<br><bdi class="value">${cut(node.record ?? node.reason ?? 'no record', longestText)}</bdi>${below.length > 0 ? markup`<ul>${below}</ul>` : nothing}</li>
`;
}

/** The record itself stands for all of SPF; one that it includes only for what names it. */
function markOfNode({ domain, state }: SpfNode, depth: number, report: Report): Marked {
  if (depth === 0) return markOf(report, spfCodes);
  const marked = markOfThing(report, spfCodes, [domain]);
  return state === 'ok' || marked.mark !== 'good' ? marked : unjudged;
}

const foundWords = {
  record: 'a record',
  none: 'no record',
  several: 'several records',
  unknown: 'no answer',
} as const;
const dmarcCodes = codesOfPart(check, 'dmarc');

function dmarcSection({ dmarc: { queries, effectivePolicy } }: Dns, report: Report): Markup {
  if (queries.length === 0) return nothing;
  const rows = queries
    .slice(0, 10)
    .map(({ name, found }) => [
      markup`<bdi class="value">${cut(name, longestText)}</bdi>`,
      verdictWord(
        found === 'record' || found === 'several' ? markOf(report, dmarcCodes) : unjudged,
        foundWords[found],
      ),
    ]);
  return tableSection(`DMARC: ${effectivePolicy ?? 'no policy'}`, cellTable(['Asked', 'Found'], rows));
}

const mxCodes = codesWhere(check, (code, part) => part === 'mx' && code.startsWith('mx-'));
const ptrCodes = ['ptr-missing', 'ptr-not-confirmed'];
const daneCodes = codesWhere(check, (code) => code.startsWith('dane-'));

function mailSection({ mx: { hosts, nullMx } }: Dns, report: Report): Markup {
  if (hosts.length === 0)
    return nullMx
      ? markup`<section class="picture"><h2>Mail hosts</h2><p>The domain says that it takes no mail.</p></section>`
      : nothing;
  const rows = hosts
    .slice(0, mostServers)
    .map(({ host, preference, addresses, ptr, tlsa }) => [
      markup`<bdi class="value">${cut(host, longestText)}</bdi>`,
      markup`${preference}`,
      addresses.length === 0
        ? verdictWord(markOfThing(report, mxCodes, [host]), 'no address')
        : markup`<bdi class="value">${addresses.slice(0, 6).join(', ')}</bdi>`,
      verdictWord(
        ptr.length === 0 ? unjudged : markOfThing(report, ptrCodes, [host, ...addresses]),
        namesOf(ptr),
      ),
      verdictWord(
        tlsa.state === 'ok' || tlsa.state === 'invalid' ? markOfThing(report, daneCodes, [host]) : unjudged,
        tlsaWords[tlsa.state],
      ),
    ]);
  return tableSection(
    'Mail hosts',
    cellTable(['Host', 'Preference', 'Addresses', 'Reverse name', 'TLSA'], rows),
  );
}

type ReverseNames = Dns['mx']['hosts'][number]['ptr'];

const tlsaWords = {
  ok: 'there',
  missing: 'none',
  invalid: 'not valid',
  unknown: 'not seen',
  'not-applicable': 'nothing to check',
} as const;

function namesOf(ptr: ReverseNames): string {
  const names = new Set(ptr.flatMap((one) => one.names.slice(0, 2)));
  return cut([...names].slice(0, 4).join(', ') || 'none', longestText);
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${clip(text, limit - 1)}…` : text;
}
