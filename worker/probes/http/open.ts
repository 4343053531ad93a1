import { judgeUrl, type TargetPolicy } from '#shared/target/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import { type GuardedAgents, openGuardedAgents } from './agents.ts';
import type { HttpProbe, HttpRequest } from './port.ts';

export type HttpLimits = {
  readonly tlsMs: number;
  /** From the connection to the end of the answer's header section. */
  readonly responseMs: number;
  /** The whole request with its body. */
  readonly requestMs: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly wireBytes: number;
};

export const httpLimits: HttpLimits = {
  tlsMs: 4000,
  responseMs: 8000,
  requestMs: 15_000,
  headerBytes: 65_536,
  bodyBytes: 2_000_000,
  wireBytes: 1_000_000,
};

export type HttpSettings = {
  readonly dial: Dial;
  /** The places at addresses that `dial` takes. */
  readonly slots: AddressSlots;
  readonly policy: TargetPolicy;
  readonly userAgent: string;
  readonly limits: HttpLimits;
};

/** Opens the probe for one chain of requests; `close` destroys every socket it still holds. */
export function openHttpProbe(settings: HttpSettings, signal: AbortSignal): HttpProbe & { close(): void } {
  const closing = new AbortController();
  const making = AbortSignal.any([signal, closing.signal]);
  const { dial, slots, limits } = settings;
  const agents = openAgentsByFamily((family) =>
    openGuardedAgents({
      dial: (host, port, ending) => dial(host, port, ending, family === undefined ? {} : { family }),
      slots,
      signal: making,
      tlsMs: limits.tlsMs,
    }),
  );
  return {
    async ask(request) {
      signal.throwIfAborted();
      const judged = judgeUrl(new URL(request.url), settings.policy);
      if (!judged.ok)
        return {
          kind: 'failure',
          url: request.url,
          code: 'target-not-allowed',
          reason: judged.fault.why,
          address: null,
        };
      // With the first request: an idle worker does without got.
      const { send } = await import('./send.ts');
      return send(request, judged.value, { settings, agents: agents.of(request.family), signal });
    },
    close() {
      // Also the connections that are only being made.
      closing.abort(new DialFailure('connection-closed', 'the run ended before the connection was made'));
      agents.destroy();
    },
  };
}

/** Agents for each choice of family, opened when first used: a connection over one must not serve the other. */
function openAgentsByFamily(open: (family: HttpRequest['family']) => GuardedAgents) {
  const opened = new Map<HttpRequest['family'], GuardedAgents>();
  return {
    of(family: HttpRequest['family']): GuardedAgents {
      const agents = opened.get(family) ?? open(family);
      opened.set(family, agents);
      return agents;
    },
    destroy(): void {
      for (const agents of opened.values()) agents.destroy();
    },
  };
}
