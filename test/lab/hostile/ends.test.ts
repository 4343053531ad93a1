import { inspect } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { findCheck } from '../../../worker/checks/registry.ts';
import type { OpenedProbes } from '../../../worker/probes/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { isEndOfRun } from '../../../worker/supervise/end-of-run.ts';
import { openLab } from '../kit/lab.ts';

// A run may end at any moment: its limit is reached, or its worker stops. Whatever it waits for is broken off then. A promise that nobody awaits
// any more would end the process that runs it, and the target that was slow would be the reason: such a one fails this file.

const slowly = (act: () => void) => void setTimeout(act, 15);
const lab = await openLab({
  sites: {
    'http://a.test': (_request, response) =>
      slowly(() => response.writeHead(301, { location: 'https://a.test/' }).end()),
    'https://a.test': (_request, response) =>
      slowly(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')),
  },
  zone: {
    'a.test': {
      A: ['127.0.0.1'],
      NS: ['ns.a.test'],
      MX: [{ preference: 10, exchange: 'mx.a.test' }],
      TXT: ['v=spf1 include:b.test -all'],
    },
    'ns.a.test': { A: ['127.0.0.1'] },
    'mx.a.test': { A: ['127.0.0.1'] },
    'b.test': { TXT: ['v=spf1 -all'] },
  },
});
const [, dnsPort = ''] = lab.dns.address.split(':');
const probes = prepareProbesOf(lab.config({ NAMESERVER_PORT: dnsPort }));
afterAll(async () => {
  probes.close();
  await lab.close();
});

const left: unknown[] = [];
process.on('unhandledRejection', (reason) => left.push(reason));

/** The probes of a run that ends when the given one of its questions is answered; the answer itself still comes. */
function endingAt(at: number): { readonly opened: OpenedProbes; readonly answered: () => number } {
  const ended = new AbortController();
  const opened = probes.open(ended.signal);
  let answered = 0;
  const count = () => {
    answered += 1;
    if (answered === at) ended.abort(new DOMException('the run has reached its limit', 'TimeoutError'));
  };
  const counted = <Probe extends object>(probe: Probe): Probe =>
    new Proxy(probe, {
      get: (own, name) => {
        const value: unknown = Reflect.get(own, name);
        if (typeof value !== 'function') return value;
        return (...given: readonly unknown[]) => {
          const answer: unknown = Reflect.apply(value, own, given);
          return answer instanceof Promise ? answer.finally(count) : answer;
        };
      },
    });
  const { http, dns, tls, udp } = opened;
  const wrapped = { http: counted(http), dns: counted(dns), tls: counted(tls), udp: counted(udp) };
  return { opened: { ...opened, ...wrapped }, answered: () => answered };
}

/** How many moments are tried, evenly spread over a run: a check has dozens of answers. */
const moments = 30;

test.for(catalogue.filter(({ queue }) => queue === 'network'))(
  '$name that ends at any answer leaves nothing behind that nobody awaits',
  { timeout: 120_000 },
  async ({ name, targetKind }) => {
    left.length = 0;
    const check = await findCheck(name);
    const target = targetKind === 'url' ? 'http://a.test/' : 'a.test';
    const endAt = async (at: number) => {
      const { opened, answered } = endingAt(at);
      const given = { target, options: {}, probes: opened, progress: () => undefined };
      const outcome = await check?.gather(given).then(
        () => 'whole',
        (error: unknown) => error,
      );
      opened.close();
      expect(outcome === 'whole' || isEndOfRun(outcome)).toBe(true);
      return answered();
    };
    const answers = await endAt(Infinity);
    for (let moment = 0; moment < moments; moment += 1)
      await endAt(1 + Math.floor((moment * answers) / moments));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(left.map((reason) => inspect(reason))).toEqual([]);
  },
);
