import { afterAll, expect, test } from 'vitest';
import { gatherSsl } from '../../../worker/checks/ssl-check/gather/gather-ssl.ts';
import { contextOf, type PaperServer, probesOnPaper } from './run-on-paper.ts';

// A run may end at any answer. All that it still waits for is broken off then, and each of these promises has to be awaited by somebody.

const unawaited: unknown[] = [];
const keep = (reason: unknown) => void unawaited.push(reason);
process.on('unhandledRejection', keep);
afterAll(() => void process.off('unhandledRejection', keep));

/** Runs until so many answers have come. @returns how many came, and how the run went */
async function endAt(server: PaperServer, at: number): Promise<{ answers: number; outcome: unknown }> {
  const end = new Error('the run has ended');
  const waiting = new Set<(reason: Error) => void>();
  let answers = 0;
  const endRun = () => {
    for (const reject of waiting) reject(end);
  };
  const answer = <T>(_roundTrips: number, value: T) =>
    new Promise<T>((resolve, reject) => {
      if (answers >= at) return reject(end);
      waiting.add(reject);
      setImmediate(() => {
        if (answers >= at) return;
        waiting.delete(reject);
        answers += 1;
        resolve(value);
        if (answers === at) endRun();
      });
    });
  const outcome = await gatherSsl(contextOf(probesOnPaper(server, answer))).catch((error: unknown) => error);
  return { answers, outcome: outcome === end ? 'ended' : 'whole' };
}

const groups = [0x11ec, 0x001d, 0x0017, 0x0018];
const tls13 = [0x1302, 0x1303, 0x1301];
const careful = { tls12: [0xc02b, 0xc02c, 0xcca9], tls13, groups };
const usual = {
  tls12: [
    0xc030, 0xcca8, 0xc02f, 0xc028, 0xc027, 0xc014, 0xc013, 0x009d, 0x009c, 0x003d, 0x003c, 0x0035, 0x002f,
  ],
  tls13,
  groups,
};
const rare = {
  ...usual,
  tls12: [...usual.tls12, 0xc061, 0xc060, 0xc077, 0xc076, 0xc051, 0xc050, 0x0084, 0x0041],
};
const dangerous = {
  ...usual,
  tls12: [...usual.tls12, 0x000a, 0x0005, 0x0001, 0x0034],
  older: [0x0035, 0x000a, 0x0005, 0x0001],
};
const servers: readonly (readonly [string, PaperServer])[] = [
  ['careful', careful],
  ['careful, at an address of each family', { ...careful, addresses: ['192.0.2.1', '2001:db8::1'] }],
  ['usual', usual],
  ['usual, by the client’s order', { ...usual, order: 'client' }],
  ['with rare suites', rare],
  ['with dangerous suites and old versions', dangerous],
  ['the same at an address of each family', { ...dangerous, addresses: ['192.0.2.1', '2001:db8::1'] }],
  ['without TLS 1.3', { ...usual, tls13: [] }],
];

test.for(servers)(
  'a run that ends at any answer of a server leaves nothing unawaited: %s',
  async ([, server]) => {
    unawaited.length = 0;
    const { answers } = await endAt(server, Infinity);
    expect(answers).toBeGreaterThan(20);
    const outcomes = new Set<unknown>();
    for (let at = 1; at < answers; at += 1) outcomes.add((await endAt(server, at)).outcome);
    await new Promise((resolve) => setTimeout(resolve));
    expect(unawaited).toEqual([]);
    expect(outcomes).toContain('ended');
  },
);
