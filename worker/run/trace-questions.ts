import type { Span, Tracing } from '#shared/ports/tracing';
import { parseTraceparent } from '#shared/telemetry/tracing/traceparent';
import type { DnsAnswer, DnsProbe } from '../probes/dns/port.ts';
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

/** The span of the run to which the questions belong. */
type RunSpan = Pick<Span, 'traceparent' | 'set'>;

/** Questions of one run that get a span; a large zone is asked some hundred, and what comes beyond is only counted. */
const toldMost = 500;

/**
 * The same probes; each question that they ask becomes a span of the run: whom, what, what came of it. Nothing of an answer's content,
 * and nothing is sent to the target for it.
 */
export function traceQuestions(opened: OpenedProbes, tracing: Tracing, run: RunSpan): OpenedProbes {
  // What is not sampled would be thrown away.
  if (parseTraceparent(run.traceparent)?.isSampled !== true) return opened;
  const { http, udp, browser } = opened;
  const spans = openQuestionSpans(tracing, run);
  const { tell } = spans;
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
    close() {
      opened.close();
      spans.close();
    },
  };
}

type TellQuestion = <T>(
  ask: () => Promise<T>,
  describe: (answer: T, tookMs: number) => ToldQuestion,
) => Promise<T>;

function openQuestionSpans(tracing: Tracing, run: RunSpan): { readonly tell: TellQuestion; close(): void } {
  let count = 0;
  const write = ({ name, attributes, failure }: ToldQuestion, startedAt: number) =>
    tracing.start({ name, kind: 'client', parent: run.traceparent, startedAt, attributes }).end(failure);
  return {
    async tell(ask, describe) {
      count += 1;
      if (count > toldMost) return ask();
      const startedAt = performance.now();
      let told: ToldQuestion = { name: 'question', attributes: {}, failure: 'broken-off' };
      try {
        const answer = await ask();
        told = describe(answer, performance.now() - startedAt);
        return answer;
      } finally {
        write(told, startedAt);
      }
    },
    close() {
      run.set({
        'diag.questions': count,
        'diag.questions.untold': Math.max(0, count - toldMost) || undefined,
      });
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
