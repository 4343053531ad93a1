import { fillDetail } from '#shared/model/finding';
import {
  codesOf,
  type Evidence,
  isBroken,
  isMalformed,
  type Rules,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { parseHsts, printHsts } from '../web/hsts.ts';
import { type KnownServers, unknownServers, whereInFront } from './known-server.ts';
import { linesOf } from './lines-of.ts';
import type { Server } from './servers.ts';
import { textOf, type Want, type WantOf, type WantOfRule } from './want.ts';

/** What the rules of a check want of servers, of which ones, and which of them the target is known to have. */
type Wanted<Code extends string> = {
  readonly rules: Rules;
  readonly wants: { readonly [C in Code]?: WantOfRule };
  readonly servers: { readonly [name: string]: Server };
  readonly known?: KnownServers;
};

/** As many pieces of evidence as a finding shows; a hostile site may give thousands. */
const evidenceLimit = 50;
/** So many headers or cookies of a finding have lines to paste. */
const mostLines = 10;

/** The same verdicts; broken ones carry the lines to paste where there are such lines: one for each header and each cookie of the report. */
export function withFixes<Code extends string>(
  verdicts: Verdicts<Code>,
  { rules, wants, servers, known = unknownServers }: Wanted<Code>,
): Verdicts<Code> {
  const broken = codesOf(verdicts).flatMap((code) => {
    const verdict = verdicts[code];
    if (!isBroken(verdict)) return [];
    const shown = { ...verdict, broken: verdict.broken.slice(0, evidenceLimit) };
    const want = wants[code];
    return [{ code, verdict: shown, own: want ? shown.broken.flatMap((piece) => want(piece) ?? []) : [] }];
  });
  const joint = joinAll(broken.flatMap(({ own }) => own));
  const fixed = broken.map(({ code, verdict, own }): [Code, Verdict] => {
    if (own.length === 0) return [code, verdict];
    const words = verdict.fix?.text ?? fillDetail(rules[code]?.fix ?? '', verdict.broken[0] ?? {});
    const keys = [...new Set(own.map(keyOf))];
    const all = keys.slice(0, mostLines).flatMap((key) => joint.get(key) ?? []);
    const isPart = own.length < verdict.broken.length || keys.length > mostLines;
    const notes = notesOf(all, verdict.broken[0] ?? {}, known);
    const texts = [words, ...notes, ...(isPart ? [notAll] : [])];
    return [
      code,
      { ...verdict, fix: { text: texts.join(' '), ...linesOf(all, servers, known, asSent(all)) } },
    ];
  });
  return { ...verdicts, ...(Object.fromEntries(fixed) as Partial<Verdicts<Code>>) };
}

type Joint = ReadonlyMap<string, Want>;

function keyOf(want: Want): string {
  if (want.kind === 'cookie') return `cookie ${want.cookie}`;
  if (want.kind === 'tls') return `tls ${want.setting}`;
  if (want.kind === 'upgrade') return `upgrade ${want.host}`;
  return 'header' in want ? `${want.kind} ${want.header.toLowerCase()}` : want.kind;
}

/** What all findings together want of each header and each cookie: two lines for one of them would contradict each other. */
function joinAll(all: readonly Want[]): Joint {
  const joint = new Map<string, Want>();
  for (const want of all) {
    const key = keyOf(want);
    const before = joint.get(key);
    joint.set(key, before === undefined ? want : join(before, want));
  }
  return joint;
}

function join(one: Want, other: Want): Want {
  if (one.kind === 'cookie' && other.kind === 'cookie')
    return { ...one, attributes: [...new Set([...one.attributes, ...other.attributes])] };
  if (one.kind === 'add' && other.kind === 'add') return { ...one, value: joinDirectives(one, other) };
  if (one.kind === 'set' && other.kind === 'set')
    return { ...other, value: joinValues(one, other), isSent: one.isSent || other.isSent };
  if (one.kind === 'remove' && other.kind === 'remove')
    return { ...one, isWhole: one.isWhole && other.isWhole };
  return other;
}

// Rules that want the same directive want the same list: it stands once.
function joinDirectives(one: WantOf<'add'>, other: WantOf<'add'>): string {
  const directives = [one, other].flatMap(({ value }) => value.split('; '));
  return [...new Map(directives.map((each) => [each.split(' ')[0], each])).values()].join('; ');
}

// Of other headers the later rule asks for the value that mends the earlier one too.
function joinValues(one: WantOf<'set'>, other: WantOf<'set'>): string {
  const [first, second] = [parseHsts(one.value), parseHsts(other.value)];
  if (isMalformed(first) || isMalformed(second)) return other.value;
  return printHsts({
    maxAgeS: Math.max(first.maxAgeS, second.maxAgeS),
    includeSubDomains: first.includeSubDomains || second.includeSubDomains,
    preload: first.preload || second.preload,
  });
}

/** What is to be known of lines before they are pasted. */
function notesOf(all: readonly Want[], evidence: Evidence, known: KnownServers): string[] {
  const kinds = new Set(all.map(({ kind }) => kind));
  const inFront =
    kinds.has('cookie') || kinds.has('tls')
      ? undefined
      : whereInFront(known, kinds.has('upgrade') ? 'redirects' : 'headers');
  return [
    ...(all.some((want) => want.kind === 'set' && want.isSent) ? [changeOwnLine] : []),
    ...(all.some(isRemoved) ? [deleteOwnLine] : []),
    ...(all.some((want) => coversMore(want, evidence)) ? [subdomainsToo] : []),
    ...all.flatMap((want) =>
      want.kind === 'upgrade'
        ? [`Do so once https://${want.host}/ answers: before that, visitors would get an error.`]
        : [],
    ),
    ...(inFront === undefined ? [] : [inFront]),
  ];
}

// A name of the target that is not plain gets into no line, and neither does what a page may need.
const notAll = 'The lines are not for all that was seen: change the rest where it is set.';
// What is seen does not show who sends it.
const changeOwnLine =
  'If your server has a line that sends this header, change that line. If it has none, the application sends it: the lines below replace it on the way.';
const deleteOwnLine =
  'If your server has a line that sends this header, delete that line. If it has none, the application sends it: the lines below take it out on the way.';
const subdomainsToo =
  'The line covers the subdomains too: browsers can no longer reach one without https. Leave includeSubDomains out until all of them have it.';

// A server sends its own name without a line for it.
function isRemoved(want: Want): boolean {
  return want.kind === 'remove' && want.header.toLowerCase() !== 'server';
}

function coversMore(want: Want, evidence: Evidence): boolean {
  const covers = (value: string) => {
    const parsed = parseHsts(value);
    return !isMalformed(parsed) && parsed.includeSubDomains;
  };
  return want.kind === 'set' && covers(want.value) && !covers(textOf(evidence['value']));
}

/** The header lines as they are to be sent, for readers whose server is none of these. */
function asSent(all: readonly Want[]): { readonly header?: string } {
  const lines = all.flatMap((want) => {
    if (want.kind === 'set' || want.kind === 'add') return [`${want.header}: ${want.value}`];
    return want.kind === 'cookie' ? [`Set-Cookie: ${want.cookie}=…; ${want.attributes.join('; ')}`] : [];
  });
  return lines.length === 0 ? {} : { header: lines.join('\n') };
}
