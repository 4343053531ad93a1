import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { readDocument } from '../../../worker/checks/security-header-check/gather/read-document.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { baseline, html, metaCsp, script, see } from './observations.ts';

const usual = see({
  headers: [
    ...baseline,
    ['Server', 'nginx'],
    ['Date', 'Sat, 21 Nov 2026 00:00:00 GMT'],
    ['Cache-Control', 'private, no-store'],
    ['Vary', 'Accept-Encoding'],
    ['Set-Cookie', 'theme=dark; Secure; SameSite=Lax'],
  ],
  elements: [script({ src: '/a.js' }), script({ src: 'https://cdn.other.test/b.js' })],
});
const hosts = (count: number) =>
  Array.from({ length: count }, (_, at) => `https://host-${at}.example-cdn.test`).join(' ');
const longPolicy = `default-src 'self'; script-src 'self' ${hosts(150)}; style-src 'self' ${hosts(60)}; img-src ${hosts(95)}`;
const withPolicies = (...policies: readonly string[]): HeaderEvidence =>
  see({ headers: [html, ...policies.map((policy): HeaderLine => ['Content-Security-Policy', policy])] });
const page = `<!doctype html><head>${'<meta name=a content=b>'.repeat(20)}${'<script src=/a.js></script>'.repeat(20)}</head><body>${'<div class=a><p>Hello <a href="/x">world</a></p></div>'.repeat(900)}`;

/** What is timed: a name and one run of it. */
export const cases: readonly (readonly [name: string, run: () => unknown])[] = [
  ['a usual response', () => assessHeaders(usual)],
  ['a bare response', () => assessHeaders(see())],
  [`a policy of ${longPolicy.length} bytes`, () => assessHeaders(withPolicies(longPolicy))],
  ['two such policies', () => assessHeaders(withPolicies(longPolicy, longPolicy))],
  ['one such policy in a meta element', () => assessHeaders(see({ elements: [metaCsp(longPolicy)] }))],
  [`reading a page of ${page.length} bytes (gather)`, () => readDocument(page, 'https://site.test/')],
];

/** CPU milliseconds of so many runs after a warm-up, in ascending order. */
export function timesOf(run: () => unknown, rounds: number): readonly number[] {
  for (let round = 0; round < rounds / 3; round += 1) run();
  return Array.from({ length: rounds }, () => {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  }).toSorted((one, other) => one - other);
}

/** The time below which that share of the runs stayed. */
export function shareOf(times: readonly number[], share: number): number {
  return times[Math.floor((times.length - 1) * share)] ?? 0;
}

// `node test/unit/security-header-check/time-analysis.ts`: ms of an analysis without network, warm; median, p95, most.
if (import.meta.main) {
  for (const [name, run] of cases) {
    const times = timesOf(run, 1000);
    console.log(name.padEnd(46), ...[0.5, 0.95, 1].map((share) => shareOf(times, share).toFixed(3)));
  }
}
