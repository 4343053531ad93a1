import type { ConnectionTransport } from 'puppeteer-core';

type Ask = (
  method: string,
  params: Record<string, unknown>,
  sessionId?: string,
) => Promise<Record<string, unknown>>;

/**
 * Has a page of the browser compute something, by the DevTools protocol: it needs the browser, its sandbox and a renderer, as a page load does.
 * Gives its product, such as "HeadlessChrome/153.0.8010.0". Pending for as long as the browser does not answer; rejects where it refuses.
 */
export async function computeOnce(transport: ConnectionTransport): Promise<string> {
  const ask = openAsk(transport);
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  await ask('Runtime.evaluate', { expression: '6 * 7' }, String(sessionId));
  const { product } = await ask('Browser.getVersion', {});
  return typeof product === 'string' ? product.slice(0, 100) : 'unknown';
}

function openAsk(transport: ConnectionTransport): Ask {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  transport.onmessage = (text) => {
    const { id, result, error } = readAnswer(text);
    const asked = waiting.get(id ?? 0);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(result ?? {});
  };
  let last = 0;
  return async (method, params, sessionId) => {
    last += 1;
    const asked = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(last, asked);
    transport.send(JSON.stringify({ id: last, method, params, ...(sessionId ? { sessionId } : {}) }));
    return asked.promise;
  };
}

type Answer = {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
};

// BROWSER_PATH may name anything, and that may say anything.
function readAnswer(text: string): Answer {
  try {
    return (JSON.parse(text) ?? {}) as Answer;
  } catch {
    return {};
  }
}
