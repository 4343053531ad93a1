import { judgeUrl } from '#shared/targets/parse-target';
import { DialFailure } from '../dial-failure.ts';
import { type GuardedAgents, openGuardedAgents } from './agents.ts';
import type { HttpProbe, HttpRequest } from './port.ts';
import type { HttpSettings } from './settings.ts';

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
