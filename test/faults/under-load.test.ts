// The tests that load the machine are in one file, so that no two of them run at once; those of the other files mostly wait, and run beside it.
import { afterAll, describe, expect, test } from 'vitest';
import './backend-faults.ts';
import { freeze } from '../kit/freeze.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, get, type Member, type Tally } from './fleet.ts';
import { closeFleets, expectInTheEnd, openFleetToTheEnd, untilNothingIsLeft } from './in-the-end.ts';

const count = Number(process.env['FAULT_REQUESTS'] ?? 200);
const isHere = hasRedis && hasMongo;
const quick = { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' };

/** Stops a process without a goodbye, and waits for its end. */
function kill({ process: child }: Member): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

describe.skipIf(!isHere)('workers that are killed under load', () => {
  let fleet: Fleet;

  test(`${count} checks: each is answered once, no host gets more than its limit, no slot is left`, async () => {
    fleet = await openFleetToTheEnd({
      hosts: 40,
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 60),
      settings: quick,
    });
    const [api, ...workers] = await Promise.all([fleet.startApi(), fleet.startWorker(), fleet.startWorker()]);
    const tally: Tally = {};
    let isDone = false;
    const killing = (async () => {
      for (let kills = 0; kills < 6 && !isDone; kills += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const index = kills % 2;
        const victim = workers[index];
        if (victim) await kill(victim);
        workers[index] = await fleet.startWorker();
      }
    })();
    const urls = Array.from(
      { length: count },
      (_, index) => `http://${fleet.hosts[index % 2 === 0 ? 0 : index % 40]}/${index}`,
    );
    const start = performance.now();
    const answers = await Promise.all(
      urls.map(async (url, index) => {
        await new Promise((resolve) => setTimeout(resolve, (index / count) * 8000));
        return fleet.ask(() => api, url, tally);
      }),
    );
    isDone = true;
    await killing;
    console.log(
      `${count} checks, workers killed: ${JSON.stringify(tally)} in ${((performance.now() - start) / 1000).toFixed(1)} s; at most ${fleet.mostAtOneHost()} at a host`,
    );
    // A job whose second worker was killed as well ends as failed: told, not lost.
    const states = answers.map(({ body }) => body['state']);
    expect(states.filter((state) => state !== 'complete' && state !== 'failed')).toEqual([]);
    expect(states.filter((state) => state === 'failed').length).toBeLessThan(count / 20);
    // Every other check is of one host: its line is never empty.
    expect(fleet.mostAtOneHost()).toBeLessThanOrEqual(4);
    expectInTheEnd('workers killed under load', fleet, {
      slots: 0,
      parked: 0,
      duplicates: 0,
      reports: count,
    });
  }, 240_000);
});

describe.skipIf(!isHere)('a job that kills its worker twice', () => {
  let fleet: Fleet;

  test('ends as a failed report, and other jobs are unharmed', async () => {
    let visits = 0;
    fleet = await openFleetToTheEnd({
      hosts: 2,
      settings: quick,
      answer: (request, response) => {
        if (request.url !== '/poison') return void response.writeHead(204).end();
        visits += 1;
        fleet.killWorkers();
      },
    });
    const api = await fleet.startApi();
    const supervisor = keepOneWorker(fleet);
    const tally: Tally = {};
    const poison = fleet.ask(() => api, 'http://t0.test/poison', tally);
    const failed = await poison;
    const other = await fleet.ask(() => api, 'http://t1.test/other', tally);
    supervisor.stop();
    expect(other.body['state']).toBe('complete');
    expect(failed.body).toMatchObject({ state: 'failed', score: null, findings: [{ code: 'check-failed' }] });
    expect(visits).toBe(2);
    expect((await get(api, 'http://t0.test/poison')).body['reportId']).toBe(failed.body['reportId']);
    expectInTheEnd('a job that kills its worker twice', fleet, { slots: 0, parked: 0, duplicates: 0 });
  }, 240_000);
});

describe.skipIf(!isHere)('a job that kills its worker while others run there', () => {
  let fleet: Fleet;

  test('ends as a failed report after at most three; none of the others does', async () => {
    let poisoned = 0;
    const slowMs = 1500;
    fleet = await openFleetToTheEnd({
      hosts: 9,
      settings: quick,
      answer: (request, response) => {
        if (request.url !== '/poison') return void setTimeout(() => response.writeHead(204).end(), slowMs);
        poisoned += 1;
        // The others have begun by then, and have not ended.
        setTimeout(() => fleet.killWorkers(), slowMs / 3);
      },
    });
    const api = await fleet.startApi();
    const tally: Tally = {};
    const { hosts } = fleet;
    const supervisor = keepOneWorker(fleet);
    const asking = hosts.map((host, index) =>
      fleet.ask(() => api, `http://${host}/${index === 0 ? 'poison' : 'innocent'}`, tally),
    );
    const [poison, ...innocent] = await Promise.all(asking);
    supervisor.stop();
    console.log(
      `poison beside ${innocent.length} others: ${poisoned} workers lost, ${JSON.stringify(tally)}`,
    );
    expect(poison?.body).toMatchObject({ state: 'failed', findings: [{ code: 'check-failed' }] });
    expect(innocent.map(({ body }) => body['state'])).toEqual(innocent.map(() => 'complete'));
    expect(poisoned).toBeLessThanOrEqual(3);
    expectInTheEnd('a job that kills its worker while others run there', fleet, {
      slots: 0,
      parked: 0,
      duplicates: 0,
    });
  }, 240_000);
});

/** Starts a worker whenever the last one has died, as an orchestrator does. */
function keepOneWorker(fleet: Fleet): { stop(): void } {
  let isStopped = false;
  const supervise = async () => {
    while (!isStopped) {
      const worker = await fleet.startWorker().catch(() => undefined); // killed while it started
      if (worker?.process.signalCode === null)
        await new Promise((resolve) => worker.process.once('exit', resolve));
    }
  };
  void supervise();
  return {
    stop() {
      isStopped = true;
    },
  };
}

describe.skipIf(!isHere)('a worker that is killed at a certain moment', () => {
  let fleet: Fleet;
  const { promise: visited, resolve: visit } = Promise.withResolvers<void>();

  test('before its report is stored, and between storing and releasing: the waiting GET is answered, one report', async () => {
    const held: { release: (() => void) | undefined } = { release: undefined };
    const letGo = () => held.release?.();
    fleet = await openFleetToTheEnd({
      hosts: 2,
      settings: quick,
      answer: (_request, response) => {
        held.release = () => void (response.writableEnded || response.writeHead(204).end());
        visit();
      },
    });
    const api = await fleet.startApi();
    const first = await fleet.startWorker();
    const tally: Tally = {};
    const waiting = fleet.ask(() => api, 'http://t0.test/a', tally);
    await visited;
    // The store is frozen while the run ends: the worker is killed before its insert.
    await freeze(fleet.mongo.process);
    letGo();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await kill(first);
    fleet.mongo.process?.kill('SIGCONT');
    const second: Member = await fleet.startWorker();
    const pump = setInterval(letGo, 50);
    expect((await waiting).body['state']).toBe('complete');
    clearInterval(pump);

    // Redis is frozen as soon as the target has answered: the report is stored, the slot cannot be released.
    held.release = undefined;
    const last = fleet.ask(() => api, 'http://t1.test/b', tally);
    await expect.poll(() => held.release !== undefined).toBe(true);
    await freeze(fleet.redis.process);
    letGo();
    await expect.poll(async () => (await countReports(fleet)) >= 2).toBe(true);
    await kill(second);
    fleet.redis.process?.kill('SIGCONT');
    await fleet.startWorker();
    expect((await last).body['state']).toBe('complete');
    expectInTheEnd('a worker killed at a certain moment', fleet, {
      slots: 0,
      parked: 0,
      duplicates: 0,
      reports: 2,
    });
  }, 240_000);
});

describe.skipIf(!isHere)('in the end', () => {
  afterAll(closeFleets);

  test('nothing is left in any fleet: no slot, no place in a line, no report twice', async () => {
    await expect(untilNothingIsLeft()).resolves.toBeUndefined();
  }, 60_000);
});

async function countReports(fleet: Fleet): Promise<number> {
  const { MongoClient } = await import('mongodb');
  const mongo = new MongoClient(fleet.mongo.url);
  try {
    return await mongo.db('diag').collection('reports').countDocuments();
  } finally {
    await mongo.close();
  }
}
