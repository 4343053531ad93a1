import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import { openRecording, type Recording, type Scraped } from '../kit/recorded-metrics.ts';
import { type Answer, type Fleet, get, type Member, openFleet, type Settings } from './fleet.ts';

/** An API and two workers whose metrics are recorded; the second worker stands in for one of page loads. A test may put others in their places. */
export type AlarmFleet = {
  readonly fleet: Fleet;
  readonly members: Record<Part, Member>;
  /** Asks for a check that was never asked for. @param query such as "&wait=0" */
  askNew(host: string, query?: string): Promise<Answer>;
  /** Begins a recording; the other functions are of the last one. */
  record(): void;
  /** A minute of Prometheus' time. */
  scrape(minute?: Minute): Promise<void>;
  /** Some minutes, with a cached GET and two new checks in each; `act` does the rest of each. */
  pass(minutes: number, act?: () => Promise<void>): Promise<void>;
  /** Waits until every process says that it reaches its queue and its store. */
  untilUp(): Promise<void>;
  /** These alarms fire now, and no others. */
  expectAlarms: Recording['expectAlarms'];
  judge: Recording['judge'];
};

type Part = 'api' | 'worker' | 'other';
type Minute = {
  /** Those that Prometheus knows; all without it. */
  readonly known?: readonly Part[];
  readonly frozen?: readonly Part[];
};

export type AlarmFleetOptions = {
  readonly hosts: number;
  /** What every host answers; 204 without it. */
  readonly answer?: RequestListener;
  readonly apiSettings?: Settings;
  /** Of every process, laid over those of an alarm fleet. */
  readonly settings?: Settings;
  /** Whether the new checks of each minute are waited for. */
  readonly isPatient: boolean;
};

const jobs = {
  api: { job: 'api', instance: 'a' },
  worker: { job: 'worker', instance: 'w' },
  other: { job: 'browser', instance: 'b' },
} as const;

/** Opens it, with a report of http://t0.test/cached; the caller closes its fleet. */
export async function openAlarmFleet({
  hosts,
  answer = (_request, response) => void response.writeHead(204).end(),
  apiSettings = {},
  settings = {},
  isPatient,
}: AlarmFleetOptions): Promise<AlarmFleet> {
  const fleet = await openFleet({ hosts, answer, settings: { FRESH_SECONDS: '600', ...settings } });
  const [api, worker, other] = await Promise.all([
    fleet.startApi(apiSettings),
    fleet.startWorker(),
    fleet.startWorker(),
  ]);
  const members = { api, worker, other };
  await fleet.ask(() => members.api, 'http://t0.test/cached', {});
  let recording = openRecording();
  let count = 0;
  const askNew = (host: string, query = '') => get(members.api, `http://${host}/${count++}`, query);
  const scrape = ({ known = ['api', 'worker', 'other'], frozen = [] }: Minute = {}) =>
    recording.scrape(
      known.map((part): Scraped => {
        const { adminUrl } = members[part];
        return { ...jobs[part], adminUrl, isFrozen: frozen.includes(part) };
      }),
    );
  return {
    fleet,
    members,
    askNew,
    record() {
      recording = openRecording();
    },
    scrape,
    async pass(minutes, act = scrape) {
      const fresh = () => askNew('t1.test', isPatient ? '' : '&wait=0');
      for (let minute = 0; minute < minutes; minute += 1) {
        await Promise.all([get(members.api, 'http://t0.test/cached'), fresh(), fresh()]);
        await act();
      }
    },
    async untilUp() {
      await expect
        .poll(() => Promise.all(Object.values(members).map((member) => upOf(member))))
        .toEqual(Object.values(members).map(() => ['1', '1']));
    },
    expectAlarms: (...names) => recording.expectAlarms(...names),
    judge: (promtool) => recording.judge(promtool),
  };
}

async function upOf({ adminUrl }: Member): Promise<readonly unknown[]> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return [...text.matchAll(/^diag_backend_up\{.*\} (\S+)$/gm)].map(([, value]) => value);
}
