import { expect, test } from 'vitest';
import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { codesBroken, codesOf, isBroken } from '#shared/model/verdict';
import { assessMail } from '../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../worker/checks/dns-check/mail/gather.ts';
import type { HttpAnswer } from '../../../worker/probes/http/port.ts';
import { type Case, cases } from '../../unit/dns-check/mail/cases.ts';
import { goodPolicy } from '../../unit/dns-check/mail/good-zone.ts';
import {
  bodyOf,
  contextOf,
  stubDns,
  stubWeb,
  type ZoneLiteral,
} from '../../unit/dns-check/mail/zone-literal.ts';

/** Senders of the zones of the table: its mail hosts, and addresses that its records allow. */
const senders = ['192.0.2.25', '2001:db8::25', '198.51.100.1'];

type FixRecord = { readonly name: string; readonly type: string; readonly value: string };
/** A file that the same fix tells to serve. */
type Served = { readonly policy?: string | undefined };

async function gatherFrom(row: Case, zone: ZoneLiteral, ip?: string, { policy }: Served = {}) {
  const { options = {}, http = {}, web, isSigned = true, unsigned = [] } = row;
  const usual = { body: bodyOf(goodPolicy), ...http };
  const answer = (policy === undefined ? usual : { body: bodyOf(policy) }) as HttpAnswer;
  const dns = stubDns(zone, { isSigned, unsigned });
  return gatherMail(contextOf(dns, stubWeb(answer, web), ip === undefined ? options : { ...options, ip }));
}

async function judge(row: Case, zone: ZoneLiteral, served: Served = {}) {
  const [first, ...others] = await Promise.all(senders.map((ip) => gatherFrom(row, zone, ip, served)));
  if (!first) throw new Error('there is no sender');
  return { ...assessMail(first), passing: passingOf([first, ...others]) };
}

type Evidence = Awaited<ReturnType<typeof gatherMail>>;

function passingOf(evidences: readonly Evidence[]): readonly string[] {
  return evidences.flatMap(({ message }) => (message?.result === 'pass' ? [message.ip] : []));
}

/** The zone after its owner has pasted a record: it takes the place of those of its kind. */
function paste(zone: ZoneLiteral, { name, type, value }: FixRecord): ZoneLiteral {
  const keys = [`${name} ${type}`, ...Object.keys(zone).filter((key) => key.startsWith(`${name} ${type} @`))];
  const kind = /^[\w=]+/.exec(value)?.[0].toLowerCase() ?? value;
  const changed = keys.map((key) => {
    const old = zone[key];
    const texts = Array.isArray(old) ? old : typeof old === 'string' ? [old] : [];
    const textOf = (one: unknown) => (Array.isArray(one) ? one.join('') : String(one));
    const kept =
      type === 'MX' ? [] : texts.filter((one) => !textOf(one).trimStart().toLowerCase().startsWith(kind));
    return [key, [...kept, value]] as const;
  });
  return { ...zone, ...Object.fromEntries(changed) };
}

const severe = (codes: readonly (keyof typeof mailRules)[]) =>
  codes.filter((code) => ['critical', 'high'].includes(mailRules[code].severity));

type Judged = Awaited<ReturnType<typeof judge>>;

/** What a pasted fix made worse; undefined where nothing. */
function harmOf(before: Judged, after: Judged, codes: readonly string[]): object | undefined {
  const held = codesOf(before.verdicts).filter((code) => before.verdicts[code] === 'holds');
  // What could not be seen before, behind a permerror, is no harm of the fix.
  const fresh = severe(codesBroken(after.verdicts)).filter((code) => held.includes(code));
  // Strangers stop where everybody could send: that is what the fix is for.
  const stopped = codes.includes('spf-all-pass')
    ? []
    : before.passing.filter((ip) => !after.passing.includes(ip));
  const isLower = before.score !== null && after.score !== null && after.score < before.score;
  if (fresh.length === 0 && stopped.length === 0 && !isLower) return undefined;
  return { codes, fresh, stopped, score: [before.score, after.score] };
}

test('over all zones of the table, fixes that are pasted make nothing worse and stop no sender', async () => {
  const counts = { zones: 0, fixes: 0 };
  const harms: object[] = [];
  for (const row of cases) {
    const { verdicts } = assessMail(await gatherFrom(row, row.zone));
    const fixes = codesOf(verdicts).flatMap((code) => {
      const verdict = verdicts[code];
      if (!isBroken(verdict) || !verdict.fix?.record) return [];
      return [{ code, record: verdict.fix.record, policy: verdict.fix.snippets?.['mta-sts.txt'] }];
    });
    counts.zones += 1;
    counts.fixes += fixes.length;
    if (fixes.length === 0) continue;
    const before = await judge(row, row.zone);
    // Each alone, and all of one report together.
    for (const chosen of [...fixes.map((fix) => [fix]), ...(fixes.length > 1 ? [fixes] : [])]) {
      const zone = chosen.reduce((pasted, { record }) => paste(pasted, record), row.zone);
      const harm = harmOf(
        before,
        await judge(row, zone, { policy: chosen.findLast(({ policy }) => policy !== undefined)?.policy }),
        chosen.map(({ code }) => code),
      );
      if (harm) harms.push({ name: row.name, ...harm });
    }
  }
  expect(harms).toEqual([]);
  // 314 zones and 55 fixes when this was written.
  expect(counts.zones).toBeGreaterThan(300);
  expect(counts.fixes).toBeGreaterThan(45);
  console.log(`${counts.zones} zones, ${counts.fixes} fixes, ${harms.length} harms`);
}, 120_000);
