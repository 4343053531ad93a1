import type { SpfNode } from '../../../catalogue/dns-check/mail/report.ts';
import { dnsReportShape } from '../../../catalogue/dns-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { clip, cut } from '../../visible-text.ts';
import { zoneFile } from '../zone-file.ts';
import { cellTable, figure, readFields, tableSection, verdictWord } from './figure.ts';

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
  return markup`${delegationSection(dns)}${trustSection(dns)}${spfSection(dns)}${dmarcSection(dns)}${mailSection(dns)}${zoneFile(owner, dns.records)}`;
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
function delegationSection({ ns: { servers, parentZone, zone } }: Dns): Markup {
  const shown = servers.slice(0, mostServers);
  if (shown.length === 0) return nothing;
  const height = shown.length * rowHeight + 4;
  const middle = height / 2;
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Delegation of ${cut(zone ?? 'the zone', 80)} to ${shown.length} addresses; the table below says the same.">
<rect class="box" x="1" y="${middle - 15}" width="${widths.zone}" height="${boxHeight}" rx="5"/><text x="10" y="${middle + 5}">${shorten(parentZone === null ? 'parent' : parentZone === '' ? 'root' : parentZone, 16)}</text>
${shown.map((server, index) => drawServer(server, index, middle))}</svg>`;
  const rows = shown.map((server) => [
    markup`<bdi class="value">${cut(server.name, longestText)}</bdi>`,
    markup`<bdi class="value">${cut(server.ip, 60)}</bdi>`,
    verdictWord(server.authoritative, answerWords(server)),
    markup`${server.rttMs === null ? '–' : `${server.rttMs.toFixed(1)} ms`}`,
    markup`${server.serial ?? '–'}`,
  ]);
  return figure(
    'Delegation',
    picture,
    cellTable(['Name server', 'Address', 'Answer', 'Time', 'Serial'], rows),
  );
}

function drawServer(server: Server, index: number, middle: number): Markup {
  const y = index * rowHeight + 4;
  const line = y + boxHeight / 2;
  const tone = server.authoritative === null ? 'info' : server.authoritative ? 'pass' : 'high';
  return markup`<g class="${tone}"><path class="wire" d="M${widths.zone + 1} ${middle}C${columns.name - 15} ${middle} ${columns.name - 35} ${line} ${columns.name} ${line}M${columns.name + widths.name} ${line}H${columns.address}"/>
<rect class="box" x="${columns.name}" y="${y}" width="${widths.name}" height="${boxHeight}" rx="5"/><text x="${columns.name + 10}" y="${line + 5}">${shorten(server.name, 27)}</text><rect class="box" x="${columns.address}" y="${y}" width="${widths.address}" height="${boxHeight}" rx="5"/><text x="${columns.address + 10}" y="${line + 5}">${shorten(server.ip, 20)}</text><text class="small quiet" x="${columns.address + widths.address - 8}" y="${line + 4}" text-anchor="end">${answerWords(server)}</text></g>
`;
}

function answerWords({ authoritative }: Server): string {
  if (authoritative === null) return 'no answer';
  return authoritative ? 'answers' : 'not for this zone';
}

const dnssecGood = { secure: true, insecure: null, bogus: false, indeterminate: null } as const;

function trustSection({ dnssec: { status, reason, ds, keys, signaturesUntil } }: Dns): Markup {
  const rows = [
    [markup`Status`, verdictWord(dnssecGood[status], status), markup`${cut(reason, longestText)}`],
    ...ds
      .slice(0, 8)
      .map(({ keyTag, algorithm, matches }) => [
        markup`DS at the parent`,
        verdictWord(
          matches,
          matches === true ? 'matches a key' : matches === false ? 'matches no key' : 'unknown',
        ),
        markup`key ${keyTag}, algorithm ${algorithm}`,
      ]),
    ...keys
      .slice(0, 8)
      .map(({ keyTag, algorithmName, role, bits }) => [
        markup`Key`,
        markup`${role}`,
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

function spfSection({ spf: { tree, lookups, all } }: Dns): Markup {
  if (tree === null) return nothing;
  const count = lookups ?? tree.lookups;
  const isGood = count <= lookupLimit;
  const filled = Math.min(1, count / lookupLimit) * 300;
  const room = { nodes: 60 };
  return markup`<section class="picture"><h2>SPF: ${count} of ${lookupLimit} lookups</h2>
<svg class="${isGood ? 'pass' : 'high'}" width="300" height="12" viewBox="0 0 300 12" role="img" aria-label="${count} of ${lookupLimit} lookups are used"><rect class="bar-track" width="300" height="12"/><rect class="bar" width="${Math.round(filled)}" height="12"/></svg>
<p>All other senders: <code>${all ?? 'nothing is said'}</code></p>
<ul class="tree">${spfItem(tree, 0, room)}</ul></section>
`;
}

function spfItem(node: SpfNode, depth: number, room: { nodes: number }): Markup {
  room.nodes -= 1;
  if (room.nodes < 0 || depth > deepestInclude) return markup`<li class="more">… more</li>`;
  const below = node.children.slice(0, 20).map((child) => spfItem(child, depth + 1, room));
  const words = `${node.lookups} ${node.lookups === 1 ? 'lookup' : 'lookups'}`;
  return markup`<li>${node.via === null ? nothing : markup`<code>${cut(node.via, 100)}</code> → `}<bdi><b>${cut(node.domain, 100)}</b></bdi> ${verdictWord(node.state === 'ok' ? true : node.state === 'unknown' ? null : false, words)}<br><bdi class="value">${cut(node.record ?? node.reason ?? 'no record', longestText)}</bdi>${below.length > 0 ? markup`<ul>${below}</ul>` : nothing}</li>
`;
}

const foundWords = { record: true, none: null, several: false, unknown: null } as const;

function dmarcSection({ dmarc: { queries, effectivePolicy } }: Dns): Markup {
  if (queries.length === 0) return nothing;
  const rows = queries
    .slice(0, 10)
    .map(({ name, found }) => [
      markup`<bdi class="value">${cut(name, longestText)}</bdi>`,
      verdictWord(foundWords[found], found),
    ]);
  return tableSection(`DMARC: ${effectivePolicy ?? 'no policy'}`, cellTable(['Asked', 'Found'], rows));
}

function mailSection({ mx: { hosts, nullMx } }: Dns): Markup {
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
        ? verdictWord(false, 'no address')
        : markup`<bdi class="value">${addresses.slice(0, 6).join(', ')}</bdi>`,
      verdictWord(areConfirmed(ptr), namesOf(ptr)),
      verdictWord(tlsa.state === 'ok' ? true : tlsa.state === 'invalid' ? false : null, tlsa.state),
    ]);
  return tableSection(
    'Mail hosts',
    cellTable(['Host', 'Preference', 'Addresses', 'Reverse name', 'TLSA'], rows),
  );
}

type ReverseNames = Dns['mx']['hosts'][number]['ptr'];

/** Whether the reverse names lead back to their addresses; null where that is not known of each. */
function areConfirmed(ptr: ReverseNames): boolean | null {
  if (ptr.some(({ confirmed }) => confirmed === false)) return false;
  return ptr.length > 0 && ptr.every(({ confirmed }) => confirmed) ? true : null;
}

function namesOf(ptr: ReverseNames): string {
  const names = new Set(ptr.flatMap((one) => one.names.slice(0, 2)));
  return cut([...names].slice(0, 4).join(', ') || 'none', longestText);
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${clip(text, limit - 1)}…` : text;
}
