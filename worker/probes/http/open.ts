import { judgeUrl } from '#shared/targets/parse-target';
import { DialFailure } from '../dial-failure.ts';
import { type GuardedAgents, openGuardedAgents } from './agents.ts';
import type { HttpAnswer, HttpProbe, HttpRequest } from './port.ts';
import { openSecondTries } from './second-try.ts';
import type { HttpSettings } from './settings.ts';

/** Opens the probe for one chain of requests; `close` destroys every socket it still holds. */
export function openHttpProbe(settings: HttpSettings, signal: AbortSignal): HttpProbe & { close(): void } {
  const closing = new AbortController();
  const making = AbortSignal.any([signal, closing.signal]);
  const { dial, slots, limits } = settings;
  const openAgents = (keepAlive: boolean) =>
    openAgentsByFamily((family) =>
      openGuardedAgents({
        dial: (host, port, ending) => dial(host, port, ending, family === undefined ? {} : { family }),
        slots,
        signal: making,
        tlsMs: limits.tlsMs,
        keepAlive,
        headerBytes: limits.headerBytes,
      }),
    );
  const strict = openAgents(true);
  // What comes behind an answer that is no HTTP must not be taken for the answer to another request.
  const lenient = openAgents(false);
  const tries = openSecondTries();
  const sendBy = async (request: HttpRequest, url: URL, isLenient: boolean): Promise<HttpAnswer> => {
    // With the first request: an idle worker does without got.
    const { redirectStatuses, send } = await import('./send.ts');
    const agents = (isLenient ? lenient : strict).of(request.family);
    const answer = await send(request, url, { settings, agents, signal, isLenient });
    if (url.protocol !== 'http:' || answer.kind === 'failure' || !redirectStatuses.includes(answer.status))
      return answer;
    return (await takePortalOut(answer, url, settings)) ?? answer;
  };
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
      const url = judged.value;
      return request.isLenient === true
        ? tries.ask((isLenient) => sendBy(request, url, isLenient))
        : sendBy(request, url, false);
    },
    close() {
      // Also the connections that are only being made.
      closing.abort(new DialFailure('connection-closed', 'the run ended before the connection was made'));
      strict.destroy();
      lenient.destroy();
    },
  };
}

/** What a portal of this network answers in the name of everybody. */
async function takePortalOut(
  answer: Extract<HttpAnswer, { kind: 'response' }>,
  url: URL,
  { whyPortal }: Pick<HttpSettings, 'whyPortal'>,
): Promise<HttpAnswer | undefined> {
  const location = answer.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  const to = URL.parse(location, url.href);
  const { address } = answer;
  const reason = to ? await whyPortal({ url, to, address }) : undefined;
  return reason === undefined
    ? undefined
    : { kind: 'failure', url: answer.url, code: 'not-from-here', reason, address };
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
