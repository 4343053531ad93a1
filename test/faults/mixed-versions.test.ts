import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawToken } from '../kit/draw-token.ts';
import { hasMongo } from '../kit/mongo.ts';
import { hasPrevious, previousVersions, unpackPrevious } from '../kit/previous-version.ts';
import { hasRedis } from '../kit/redis.ts';
import { type Fleet, type Member, openFleet, type Tally } from './fleet.ts';

const isHere = hasPrevious && hasRedis && hasMongo;
const hosts = 12;
const everyMs = 250;
/** Answers between two steps: enough that every process of the mix has had some. */
const answersOfAStep = 24;

type Version = 'previous' | 'this';
type Place = { version: Version; member: Member };
type Report = { readonly url: string; readonly body: Readonly<Record<string, unknown>> };

describe.skipIf(!isHere).each(previousVersions)('an upgrade from $name, under load', (version) => {
  let previous: ReturnType<typeof unpackPrevious>;
  let fleet: Fleet;
  let authorization = '';
  beforeAll(async () => {
    previous = unpackPrevious(version);
    fleet = await openFleet({
      hosts,
      settings: { FRESH_SECONDS: '600', QUEUE_SECONDS: '120' },
      answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), 200),
    });
    authorization = `Bearer ${await drawToken({ REDIS_URL: fleet.redis.url, MONGODB_URL: fleet.mongo.url })}`;
  }, 90_000);
  afterAll(async () => {
    await fleet?.close();
    previous?.remove();
  });

  test('workers first: nothing is lost, and each reads all', async () => {
    const before = await fleet.leftovers();
    const places = await openPrevious(fleet, previous.program);
    const load = sendLoad(fleet, places.api);
    const read = async () => {
      const reports = await load.more(answersOfAStep);
      for (const { member } of places.api) await expectAllReadable(member, reports, authorization);
    };
    await read();
    if (version.sharesQueue) await replaceOne(fleet, 'worker', places.worker);
    else await replaceAll(fleet, places.worker);
    await replaceOne(fleet, 'api', places.api);
    await read();
    if (version.sharesQueue) await replaceOne(fleet, 'worker', places.worker);
    await replaceOne(fleet, 'api', places.api);
    await read();
    const { reports, tally, questions, accepted } = await load.end();
    console.log(`upgrade: ${JSON.stringify({ accepted, tally })}`);
    expect(reports).toHaveLength(accepted);
    expect(errorsIn(tally)).toEqual([]);
    for (const { member } of places.api) await expectAllReadable(member, reports, authorization);
    expect(fleet.mostAtOneHost()).toBeLessThanOrEqual(4);
    await expect
      .poll(() => leftIn(fleet), { timeout: 60_000 })
      .toEqual({ slots: 0, parked: 0, duplicates: 0 });
    // Rules of another version are another question: who was sent from one API to one of the other version has asked both.
    const stored = (await fleet.leftovers()).reports - before.reports;
    expect(stored).toBeGreaterThanOrEqual(accepted);
    expect(stored).toBeLessThanOrEqual(questions);
    await Promise.all([...places.api, ...places.worker].map(({ member }) => end(member)));
  }, 300_000);
});

async function openPrevious(fleet: Fleet, program: string) {
  const places: Record<'api' | 'worker', Place[]> = { api: [], worker: [] };
  // One after the other: on a busy machine, each has the time that a start may take.
  for (const step of ['worker', 'worker', 'api', 'api'] as const)
    places[step].push({ version: 'previous', member: await startOne(fleet, step, program) });
  return places;
}

function startOne(fleet: Fleet, step: 'api' | 'worker', program?: string): Promise<Member> {
  return step === 'api' ? fleet.startApi({}, 'ready', program) : fleet.startWorker({}, 'ready', program);
}

/** The first place that still has the previous version: its next process is ready before that one is told to end. */
async function replaceOne(fleet: Fleet, step: 'api' | 'worker', places: Place[]): Promise<void> {
  const at = places.findIndex(({ version }) => version === 'previous');
  const old = places[at];
  const member = await startOne(fleet, step);
  places[at] = { version: 'this', member };
  if (old) await end(old.member);
}

/** The old queue and the new one do not know of each other: both at once could be too much for a host. */
async function replaceAll(fleet: Fleet, workers: Place[]): Promise<void> {
  for (const { member } of workers) await end(member);
  for (const place of workers)
    Object.assign(place, { version: 'this', member: await startOne(fleet, 'worker') });
}

async function end({ process: child }: Member): Promise<void> {
  const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await status).toBe(0);
}

/** Asks for new checks at the APIs in turn until it is ended, each until it has its report. */
function sendLoad(fleet: Fleet, apis: readonly Place[]) {
  const tally: Tally = {};
  const reports: Report[] = [];
  const questions = new Set<string>();
  const asked: Promise<void>[] = [];
  const faults: unknown[] = [];
  const askOne = async (url: string, turn: number) => {
    let tries = turn;
    const nextApi = () => {
      const place = apis[tries % apis.length];
      tries += 1;
      if (!place) throw new Error('there is no API');
      questions.add(`${place.version} ${url}`);
      return place.member;
    };
    const { body } = await fleet.ask(nextApi, url, tally);
    reports.push({ url, body });
  };
  const timer = setInterval(() => {
    const turn = asked.length;
    const url = `http://t${turn % hosts}.test/${process.hrtime.bigint()}`;
    asked.push(askOne(url, turn).catch((fault: unknown) => void faults.push(fault)));
  }, everyMs);
  return {
    /** The next reports, once there are so many more. */
    async more(count: number): Promise<readonly Report[]> {
      const from = reports.length;
      while (reports.length < from + count && faults.length === 0) await delay(100);
      return reports.slice(from);
    },
    async end() {
      clearInterval(timer);
      await Promise.all(asked);
      expect(faults).toEqual([]);
      return { reports, tally, questions: questions.size, accepted: asked.length };
    },
  };
}

/** Every report, whichever worker wrote it, has the same fields at this API. */
async function expectAllReadable(
  { url: base }: Member,
  reports: readonly Report[],
  authorization: string,
): Promise<void> {
  for (const { body } of reports) {
    const read = async () => {
      const response = await fetch(`${base}/api/reports/${String(body['reportId'])}`, {
        headers: { authorization },
      });
      return [response.status, await response.json()];
    };
    // A store that is too slow on a busy machine is reported, and asked again.
    await expect.poll(read, { timeout: 60_000 }).toEqual([200, body]);
  }
}

async function leftIn(fleet: Fleet) {
  const { slots, parked, duplicates } = await fleet.leftovers();
  return { slots, parked, duplicates };
}

/** What a caller of a rolling upgrade may meet on the way: a process that ends, or has too much to do, says so, and is asked again. */
function errorsIn(tally: Tally): readonly string[] {
  return Object.keys(tally).filter(
    (outcome) =>
      !/^(?:200|202|ECONNREFUSED|503 (?:busy|overloaded|shutting_down|store_unavailable|queue_unavailable))$/.test(
        outcome,
      ),
  );
}
