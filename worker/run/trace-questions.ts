import type { Job } from '#shared/model/job';
import type { Span, Tracing } from '#shared/ports/tracing';
import { parseTraceparent } from '#shared/telemetry/tracing/traceparent';
import type { DnsAnswer, DnsProbe } from '../probes/dns/port.ts';
import type { ProbeFactory } from '../probes/open.ts';
import type { OpenedProbes } from '../probes/port.ts';
import type { TlsProbe } from '../probes/tls/port.ts';
import {
  describeDns,
  describeExchange,
  describeField,
  describeHandshake,
  describeHttp,
  describePage,
  describeTransfer,
  describeUdp,
  type ToldQuestion,
} from './describe-question.ts';

/** A question with its beginning and its end, ms since 1970: another process makes a span of it. JSON. */
export type TimedQuestion = ToldQuestion & { readonly startedAt: number; readonly endedAt: number };

/** What a run asked: the first of its questions, and how many there were. */
export type AskedQuestions = { readonly told: readonly TimedQuestion[]; readonly count: number };

/** Questions of one run that get a span; a large zone is asked some hundred, and what comes beyond is only counted. */
const toldMost = 500;

type TracedProbes = {
  readonly probes: ProbeFactory;
  /** What was asked so far; undefined for a run whose trace is not sampled. */
  readonly asked: () => AskedQuestions | undefined;
};

/** The probes of a run that note each of its questions: whom, what, what came of it. Nothing of an answer's content, and nothing is sent to the target for it. */
export function noteQuestions(probes: ProbeFactory, { trace }: Pick<Job, 'trace'>): TracedProbes {
  // What is not sampled would be thrown away.
  if (parseTraceparent(trace)?.isSampled !== true) return { probes, asked: () => undefined };
  const notes = openNotes();
  return {
    probes: { ...probes, open: (...given) => notedProbes(probes.open(...given), notes.tell) },
    asked: notes.asked,
  };
}

/** Tells what a run asked as spans below its own. */
export function tellQuestions(tracing: Tracing, run: Span, { told, count }: AskedQuestions): void {
  for (const { name, attributes, failure, startedAt, endedAt } of told)
    tracing
      .start({ name, kind: 'client', parent: run.traceparent, startedAt, attributes })
      .end(failure, endedAt);
  run.set({
    'diag.questions': count,
    'diag.questions.untold': Math.max(0, count - told.length) || undefined,
  });
}

function notedProbes(opened: OpenedProbes, tell: TellQuestion): OpenedProbes {
  const { http, udp, browser } = opened;
  return {
    ...opened,
    dns: traceDns(opened.dns, tell),
    http: {
      ask: (request) =>
        tell(
          () => http.ask(request),
          (answer) => describeHttp(request, answer),
        ),
    },
    tls: traceTls(opened.tls, tell),
    udp: {
      exchange: (request) =>
        tell(
          () => udp.exchange(request),
          (answer) => describeUdp(request, answer),
        ),
    },
    browser: {
      run: (request) =>
        tell(
          () => browser.run(request),
          (answer) => describePage(request, answer),
        ),
      askField: (url, strategy) =>
        tell(
          () => browser.askField(url, strategy),
          (observation) => describeField(url, strategy, observation),
        ),
    },
  };
}

type TellQuestion = <T>(
  ask: () => Promise<T>,
  describe: (answer: T, tookMs: number) => ToldQuestion,
) => Promise<T>;

function openNotes(): { readonly tell: TellQuestion; readonly asked: () => AskedQuestions } {
  const told: TimedQuestion[] = [];
  let count = 0;
  const now = () => performance.timeOrigin + performance.now();
  return {
    asked: () => ({ told, count }),
    async tell(ask, describe) {
      count += 1;
      if (count > toldMost) return ask();
      const startedAt = now();
      let question: ToldQuestion = { name: 'question', attributes: {}, failure: 'broken-off' };
      try {
        const answer = await ask();
        question = describe(answer, now() - startedAt);
        return answer;
      } finally {
        told.push({ ...question, startedAt, endedAt: now() });
      }
    },
  };
}

function traceTls(tls: TlsProbe, tell: TellQuestion): TlsProbe {
  return {
    addresses: (host) => tls.addresses(host),
    connections: () => tls.connections(),
    handshake: (request) =>
      tell(
        () => tls.handshake(request),
        (answer) => describeHandshake(request, answer),
      ),
    exchange: (request) =>
      tell(
        () => tls.exchange(request),
        (answer) => describeExchange(request, answer),
      ),
  };
}

// The probe gives the same promise for an equal question of one run: that was told already.
function traceDns(dns: DnsProbe, tell: TellQuestion): DnsProbe {
  const told = new WeakMap<Promise<DnsAnswer>, Promise<DnsAnswer>>();
  const transfer = dns.transfer?.bind(dns);
  return {
    ask(question, options) {
      const asked = dns.ask(question, options);
      const known = told.get(asked);
      if (known) return known;
      const answer = tell(
        () => asked,
        (seen, tookMs) => describeDns(question, seen, tookMs),
      );
      told.set(asked, answer);
      return answer;
    },
    ...(transfer
      ? {
          transfer: (zone, server) =>
            tell(
              () => transfer(zone, server),
              (answer) => describeTransfer(zone, server, answer),
            ),
        }
      : {}),
  };
}
