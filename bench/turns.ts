import { readdirSync, readFileSync } from 'node:fs';
import type { Report } from '#shared/model/report';
import type { Json } from '#shared/model/verdict';
import { formatNames, renderReport } from '#shared/render/formats';
import { readCorpus, replay } from '../test/kit/corpus.ts';
import type { Check } from '../worker/checks/check.ts';
import { findCheck } from '../worker/checks/registry.ts';
import { gatherHeaders } from '../worker/checks/security-header-check/gather.ts';
import type { Probes } from '../worker/probes/port.ts';
import { openWork } from '../worker/probes/work.ts';
import { type EvidenceFile, judge } from '../worker/run/judge.ts';
import type { Section } from './section.ts';

const repeats = 20;
const targets: Readonly<Record<string, string>> = {
  'redirect-check': 'http://a.test/',
  'security-header-check': 'https://site.test/',
  'dns-check': 'a.test',
  'ssl-check': 'a.test',
  'pagespeed-check': 'http://a.test/',
  'domain-health': 'a.test',
};
/** Longest header section, longest address of a redirect, longest answer of a DNS server: what a target can send at most. */
const most = { header: 60_000, address: 8000, answer: 60_000 } as const;

type Kind = { readonly name: string; readonly check: string; readonly evidence: readonly Json[] };

/** How long one turn of the event loop is held by judging evidence, and by making a report into each format. */
export async function bench(): Promise<Section> {
  const rows: (string | number)[][] = [];
  for (const kind of [...usual(), await recorded(), ...hostile()]) {
    const check = await findCheck(kind.check);
    if (check) rows.push(rowOf(kind, check));
  }
  return {
    title: 'One turn of the event loop',
    about: `CPU of the thread for judging evidence and for making its report into each format, ms: the mean of ${repeats} repeats, and of several pieces of evidence the longest. The last rows are the longest that a target can send.`,
    columns: ['evidence', 'characters', 'judging', ...formatNames],
    rows,
    limits:
      'the length of what a target sends. Evidence above the limit of worker/run/judge-aside.ts is judged in a thread and is not here.',
  };
}

function usual(): Kind[] {
  return Object.keys(targets).map((check) => ({
    name: `${check}, as recorded`,
    check,
    evidence: readdirSync(`test/fixtures/${check}`)
      .filter((file) => file.endsWith('.json'))
      .map((file) => fixture(check, file)),
  }));
}

/** Chains of real sites, where they are beside the checkout. */
async function recorded(): Promise<Kind> {
  const check = 'security-header-check';
  const evidence: Json[] = [];
  for (const chain of readCorpus()) {
    const probes = { http: replay(chain), work: openWork() } as unknown as Probes;
    const target = chain.hops[0]?.url ?? '';
    const gathered = await gatherHeaders({ target, options: {}, probes, progress: () => undefined });
    evidence.push({ ...gathered, seenAtMs: Date.UTC(2024, 9, 31) } as unknown as Json);
  }
  return { name: `${check}, ${evidence.length} real sites`, check, evidence };
}

function hostile(): Kind[] {
  const hosts = (length: number) =>
    Array.from({ length: length / 30 }, (_, at) => `https://host-${at}.example-cdn.test`).join(' ');
  const cookies = Array.from({ length: most.header / 30 }, (_, at) => ['Set-Cookie', `c${at}=1; Path=/`]);
  const headers = (lines: readonly (readonly string[])[]) =>
    changed('security-header-check', 'poor.json', (evidence) => {
      for (const chain of [evidence['https'], evidence['http']])
        for (const hop of (chain as { hops: { headers: unknown[] }[] }).hops) hop.headers.push(...lines);
    });
  const texts = changed('dns-check', 'lame.test.json', (evidence) => {
    const { TXT } = (evidence['dns'] as { apex: { TXT: { answers: { data: { strings: string[] } }[] } } })
      .apex;
    const [first] = TXT.answers;
    for (let at = 0; at < most.answer / 4; at += 1) first?.data.strings.push('abc');
  });
  const addresses = changed('ssl-check', 'nginx-careful.json', (evidence) => {
    const list = evidence['addresses'] as string[];
    for (let at = 0; at < most.answer / 16; at += 1) list.push(`192.0.${at >> 8}.${at & 255}`);
  });
  const hops = changed('redirect-check', 'loop.json', (evidence) => {
    const [first] = evidence['hops'] as { url: string }[];
    if (!first) return;
    evidence['hops'] = Array.from({ length: 20 }, (_, at) => ({
      ...first,
      url: `${first.url}${at}?${'q'.repeat(most.address)}`,
    }));
  });
  return [
    {
      name: 'security-header-check, 60 kB of policy in each answer',
      check: 'security-header-check',
      evidence: [headers([['Content-Security-Policy', `script-src ${hosts(most.header)}`]])],
    },
    {
      name: 'security-header-check, 2,000 cookies in each answer',
      check: 'security-header-check',
      evidence: [headers(cookies)],
    },
    { name: 'dns-check, 60 kB of TXT', check: 'dns-check', evidence: [texts] },
    { name: 'ssl-check, 3,750 addresses', check: 'ssl-check', evidence: [addresses] },
    { name: 'redirect-check, 20 hops of 8,000 characters', check: 'redirect-check', evidence: [hops] },
  ];
}

function fixture(check: string, file: string): { [key: string]: Json } {
  return JSON.parse(readFileSync(`test/fixtures/${check}/${file}`, 'utf8')) as { [key: string]: Json };
}

function changed(check: string, file: string, change: (evidence: { [key: string]: unknown }) => void): Json {
  const evidence = fixture(check, file);
  change(evidence);
  return evidence;
}

function rowOf({ name, check, evidence }: Kind, found: Check): (string | number)[] {
  const files = evidence.map((each) => fileOf(check, each));
  const reports: Report[] = files.map((file) => judge(found, file));
  const judged = longest(files, (file) => judge(found, file));
  const rendered = formatNames.map((format) => longest(reports, (report) => renderReport(report, format)));
  const characters = Math.max(...evidence.map((each) => JSON.stringify(each).length));
  const cells = [name, characters, ...[judged, ...rendered].map((ms) => ms.toFixed(1))];
  console.log(cells.join(' | '));
  return cells;
}

/** The milliseconds of CPU that the longest of these takes. */
function longest<T>(all: readonly T[], run: (one: T) => unknown): number {
  return Math.max(
    ...all.map((one) => {
      run(one);
      const before = process.threadCpuUsage();
      for (let count = 0; count < repeats; count += 1) run(one);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000 / repeats;
    }),
  );
}

function fileOf(check: string, evidence: Json): EvidenceFile {
  return {
    v: 1,
    check,
    target: targets[check] ?? '',
    options: {},
    reportId: '01234567-89ab-7cde-8f01-23456789abcd',
    checkedAtMs: Date.UTC(2026, 10, 21),
    durationMs: 1234,
    freshForS: null,
    keepForS: null,
    evidence,
  };
}
