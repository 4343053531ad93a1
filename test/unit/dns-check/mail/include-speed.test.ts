// Wall time of SPF with ten includes, ours and the evaluator's, with a delay in every answer, in one run. For figures:
//   MEASURE=1 npx vitest run --project unit test/unit/dns-check/mail/include-speed.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { spf } from 'mailauth/lib/spf/index.js';
import { expect, test } from 'vitest';
import { openAsker } from '../../../../worker/checks/dns-check/mail/ask.ts';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import { growSpfTree } from '../../../../worker/checks/dns-check/mail/spf/grow-tree.ts';
import { openZone } from '../../../../worker/checks/dns-check/mail/zone.ts';
import { goodPolicy, goodZone } from './good-zone.ts';
import { bodyOf, contextOf, stubDns, stubHttp, type ZoneLiteral } from './zone-literal.ts';

const isMeasured = process.env['MEASURE'] !== undefined;
const delayMs = isMeasured ? 20 : 5;
const runs = isMeasured ? 15 : 1;

const leaf = (index: number) => `v=spf1 ip4:198.51.100.${index} -all`;
const indexes = Array.from({ length: 10 }, (_, index) => index);
const zones: Record<string, ZoneLiteral> = {
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
  const asker = openAsker(stubDns(zone, { delayMs }));
  for (;;) {
    const missing: Promise<unknown>[] = [];
    growSpfTree(
      openZone(asker.sights, (question) => missing.push(asker.ask(question))),
      'good.test',
    );
    if (missing.length === 0) return;
    await Promise.all(missing);
  }
}

async function evaluate(zone: ZoneLiteral): Promise<void> {
  const resolver = async (name: string, type: string) => {
    await sleep(delayMs);
    const text = zone[`${name} ${type}`];
    if (typeof text !== 'string') throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return [[text]];
  };
  await spf({
    ip: '203.0.113.1',
    sender: 'a@good.test',
    helo: 'good.test',
    mta: 'x',
    strict: true,
    resolver,
  });
}

async function whole(zone: ZoneLiteral): Promise<void> {
  const http = stubHttp({ body: bodyOf(goodPolicy) } as Parameters<typeof stubHttp>[0]);
  await gatherMail(contextOf(stubDns({ ...goodZone, ...zone }, { delayMs }), http));
}

async function median(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

test('ten flat includes cost less than one after another', { timeout: 60_000 }, async () => {
  for (const [name, zone] of Object.entries(zones)) {
    const theirs = await median(() => evaluate(zone));
    const tree = await median(() => growWhole(zone));
    const all = await median(() => whole(zone));
    const show = (ms: number) => `${ms.toFixed(0)} ms (${(ms / theirs).toFixed(2)})`;
    console.log(
      `10 ${name}: mailauth ${theirs.toFixed(0)} ms, our tree ${show(tree)}, our whole mail half ${show(all)}`,
    );
    // Depth is the floor for nested ones: there is nothing to win, and a busy machine to lose to.
    expect(tree).toBeLessThan(name === 'flat' ? theirs : theirs * 3);
  }
});

test('a usual domain is judged in milliseconds', async () => {
  const http = stubHttp({ body: bodyOf(goodPolicy) } as Parameters<typeof stubHttp>[0]);
  const evidence = await gatherMail(contextOf(stubDns(goodZone), http));
  const judgings = isMeasured ? 100 : 20;
  const start = performance.now();
  for (let run = 0; run < judgings; run += 1) assessMail(evidence);
  const ms = (performance.now() - start) / judgings;
  console.log(`assess: ${ms.toFixed(2)} ms; evidence: ${JSON.stringify(evidence).length} bytes`);
  expect(ms).toBeLessThan(20);
});
