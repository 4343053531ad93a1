import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { assessMail } from '../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../worker/checks/dns-check/mail/gather.ts';
import { evaluateSpf } from '../../../worker/checks/dns-check/mail/spf/evaluate-spf.ts';
import { growSpfTree } from '../../../worker/checks/dns-check/mail/spf/grow-tree.ts';
import { openAsker } from '../../../worker/dns/asker.ts';
import { openZone } from '../../../worker/dns/zone.ts';
import { type Change, goodWorld } from '../../unit/dns-check/good-world.ts';
import { goodPolicy, goodZone } from '../../unit/dns-check/mail/good-zone.ts';
import {
  bodyOf,
  contextOf,
  stubDns,
  stubWeb,
  type ZoneLiteral,
} from '../../unit/dns-check/mail/zone-literal.ts';
import { gatherIn, probesOf } from '../../unit/dns-check/run-check.ts';
import { openWorld } from '../../unit/dns-check/world.ts';

// node test/lab/dns-check/figures.ts: how long the DNS check takes where every answer takes one round trip. Prints; asserts nothing.

const rttMs = 100;
const answerMs = 20;
const runs = 15;

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * times.length)] ?? 0;
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times;
}

const worlds: readonly { name: string; change: Change; domain?: string }[] = [
  { name: 'a usual domain', change: {} },
  { name: 'one whose keys and proofs come by TCP', change: { truncates: true } },
  { name: 'an unsigned one', change: { signed: false } },
  { name: 'one that does not exist', change: {}, domain: 'nothing.test' },
  { name: 'a host inside a zone', change: {}, domain: 'host.good.test' },
  { name: 'a bogus one', change: { resolver: { validates: true, bogus: 'good.test' } } },
  {
    name: 'one of whose servers the parent alone knows',
    change: { parentAdd: ['good.test 3600 NS ns.test'] },
  },
];

console.log(`── round trips of ${rttMs} ms, over all questions of a run`);
for (const { name, change, domain = 'good.test' } of worlds) {
  let questions = 0;
  const times = await timesOf(async () => {
    const { probe, asked } = openWorld(goodWorld({ ...change, rttMs }));
    await gatherDnsCheck({
      target: domain,
      options: {},
      probes: probesOf(probe),
      progress: () => undefined,
    });
    questions = asked();
  });
  const [p50, p95] = [0.5, 0.95].map((share) => (percentile(times, share) / rttMs).toFixed(2));
  console.log(`${name}: p50 ${p50}, p95 ${p95} round trips, ${questions} questions`);
}

const leaf = (index: number) => `v=spf1 ip4:198.51.100.${index} -all`;
const indexes = Array.from({ length: 10 }, (_, index) => index);
const zones: { readonly [name: string]: ZoneLiteral } = {
  flat: {
    'good.test TXT': `v=spf1 ${indexes.map((index) => `include:f${index}.test`).join(' ')} -all`,
    ...Object.fromEntries(indexes.map((index) => [`f${index}.test TXT`, leaf(index)])),
  },
  nested: {
    'good.test TXT': 'v=spf1 include:f0.test -all',
    ...Object.fromEntries(
      indexes.map((index) => [
        `f${index}.test TXT`,
        index < 9 ? `v=spf1 include:f${index + 1}.test -all` : leaf(index),
      ]),
    ),
  },
};

async function growWhole(zone: ZoneLiteral): Promise<void> {
  const asker = openAsker(stubDns(zone, { delayMs: answerMs }));
  for (;;) {
    const missing: Promise<unknown>[] = [];
    growSpfTree(
      openZone(asker.observations, (question) => missing.push(asker.ask(question))),
      'good.test',
    );
    if (missing.length === 0) return;
    await Promise.all(missing);
  }
}

// Term by term, as a receiver asks.
async function evaluate(zone: ZoneLiteral): Promise<void> {
  const message = { ip: '203.0.113.1', sender: 'a@good.test', helo: 'good.test' };
  await evaluateSpf(openAsker(stubDns(zone, { delayMs: answerMs })), message, 5000);
}

const web = stubWeb({ body: bodyOf(goodPolicy) });
const gatherZone = async (zone: ZoneLiteral, delayMs?: number) =>
  gatherMail(contextOf(stubDns({ ...goodZone, ...zone }, delayMs === undefined ? {} : { delayMs }), web));

console.log(`── ten includes, ${answerMs} ms an answer`);
for (const [name, zone] of Object.entries(zones)) {
  const asReceiver = percentile(await timesOf(async () => evaluate(zone)), 0.5);
  const tree = percentile(await timesOf(async () => growWhole(zone)), 0.5);
  const all = percentile(await timesOf(async () => gatherZone(zone, answerMs)), 0.5);
  const show = (ms: number) => `${ms.toFixed(0)} ms (${(ms / asReceiver).toFixed(2)})`;
  console.log(
    `${name}: one message ${asReceiver.toFixed(0)} ms, the tree ${show(tree)}, the whole mail half ${show(all)}`,
  );
}

console.log('── judging');
const mail = await gatherZone({});
const text = JSON.stringify(mail);
// Each run reads evidence of its own, as a worker does: what is remembered of one helps no other.
const own = await timesOf(async () => assessMail(JSON.parse(text)));
const both = await gatherIn(goodWorld());
const whole = await timesOf(async () => assessDnsCheck(both));
console.log(
  `mail half, logo and mark in it: ${percentile(own, 0.5).toFixed(2)} ms of ${text.length} bytes; a signed domain: ${percentile(whole, 0.5).toFixed(2)} ms`,
);
