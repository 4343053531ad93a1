import type { RedirectVia } from '#shared/catalogue/redirect-check/report';
import type { FailureCode } from '#shared/model/failure';
import type {
  HopAnswer,
  HopObservation,
  RedirectEvidence,
} from '../../../worker/checks/redirect-check/evidence.ts';
import type { Timings } from '../../../worker/probes/http/port.ts';
import type { LocationObservation, Stop } from '../../../worker/web/walk.ts';

/** A hop: its address, alone or with what differs from a plain 301 (or, at the end, a plain HTML page with 200). */
export type Step = string | readonly [url: string, seen: Partial<HopAnswer>, via?: RedirectVia];

const timings: Timings = {
  wait: 0,
  dns: 1,
  tcp: 1,
  tls: 1,
  ttfb: 5,
  download: 0.2,
  total: 8.2,
  reused: false,
};
const trusted = { protocol: 'TLSv1.3', trusted: true, error: null };

/** A chain that arrives at its last step. */
export function chain(...steps: readonly Step[]): RedirectEvidence {
  return stopped({ kind: 'arrived' }, ...steps);
}

/** A chain that stops after its last step; that of a loop or of a chain too long still leads on. */
export function stopped(stop: Stop, ...steps: readonly Step[]): RedirectEvidence {
  const urls = steps.map((step) => (typeof step === 'string' ? step : step[0]));
  const beyond =
    stop.kind === 'loop' ? stop.to : stop.kind === 'too-many' ? 'https://a.test/beyond' : undefined;
  return {
    url: urls[0] ?? '',
    stop,
    hops: steps.map((step, index) => {
      const [url, seen = {}, via = 'http'] = typeof step === 'string' ? [step] : step;
      const to = urls[index + 1] ?? beyond;
      return {
        url,
        seen: { ...answerAt(url, to), ...seen },
        next: to === undefined ? null : { url: to, via },
      };
    }),
  };
}

/** A chain whose last step gives no answer. */
export function failed(code: FailureCode, ...steps: readonly Step[]): RedirectEvidence {
  return broken({ kind: 'failure' }, code, steps);
}

/** A chain whose last redirect leads to nobody. */
export function nowhere(why: string, ...steps: readonly Step[]): RedirectEvidence {
  return broken({ kind: 'nowhere', why }, 'target-not-allowed', steps);
}

/** A chain that is still waiting for its last step when its time is over. */
export function late(...steps: readonly Step[]): RedirectEvidence {
  return broken({ kind: 'out-of-time', afterMs: 18_000 }, 'response-timeout', steps);
}

function broken(stop: Stop, code: FailureCode, steps: readonly Step[]): RedirectEvidence {
  const { url, hops } = chain(...steps);
  const last = hops.length - 1;
  const seen: HopObservation['seen'] = {
    kind: 'failure',
    code,
    reason: 'the reason',
    address: null,
    waitedMs: 31.5,
  };
  return { url, stop, hops: hops.map((hop, index) => (index === last ? { ...hop, seen } : hop)) };
}

/** Location fields as they were sent; each in UTF-8 and without credentials unless more is said. */
export function sends(
  ...texts: readonly (string | Partial<LocationObservation>)[]
): Pick<HopAnswer, 'locations'> {
  const plain = { text: '', isUtf8: true, hasCredentials: false };
  return { locations: texts.map((text) => ({ ...plain, ...(typeof text === 'string' ? { text } : text) })) };
}

function answerAt(url: string, to: string | undefined): HopAnswer {
  const leadsOn = to !== undefined;
  return {
    kind: 'response',
    status: leadsOn ? 301 : 200,
    ...sends(...(leadsOn ? [to] : [])),
    address: '192.0.2.1',
    timings,
    tls: url.startsWith('https:') ? trusted : null,
    hsts: null,
    refresh: null,
    canonical: null,
    page: leadsOn ? null : { setsAddress: false },
    bodyCut: leadsOn ? 'not-read' : null,
  };
}
