import type { ConnectionTransport } from 'puppeteer-core';

type EventFields = Readonly<Record<string, unknown>>;

/** A connection by the DevTools protocol. */
export type Devtools = {
  /** Sends a command and gives its result; rejects where the browser refuses. Pending for as long as it does not answer. */
  ask(method: string, parameters: EventFields, sessionId?: string): Promise<EventFields>;
  /** Hears every event of this name. */
  on(method: string, listener: (parameters: EventFields) => void): void;
};

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: EventFields;
  readonly result?: EventFields;
  readonly error?: { readonly message: string };
};

/** Speaks DevTools by itself, as the driver of page loads leaves promises to reject by themselves, which would end a worker. */
export function openDevtools(transport: ConnectionTransport): Devtools {
  const waiting = new Map<number, PromiseWithResolvers<EventFields>>();
  const listeners = new Map<string, (parameters: EventFields) => void>();
  let last = 0;
  transport.onmessage = (text) => {
    const { id, method, params, result, error } = readMessage(text);
    if (method !== undefined) return listeners.get(method)?.(params ?? {});
    const asked = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(result ?? {});
  };
  return {
    ask(method, parameters, sessionId) {
      last += 1;
      const asked = Promise.withResolvers<EventFields>();
      waiting.set(last, asked);
      transport.send(
        JSON.stringify({
          id: last,
          method,
          params: parameters,
          ...(sessionId === undefined ? {} : { sessionId }),
        }),
      );
      return asked.promise;
    },
    on: (method, listener) => void listeners.set(method, listener),
  };
}

// BROWSER_PATH may name anything, and that may say anything.
function readMessage(text: string): Message {
  try {
    return (JSON.parse(text) ?? {}) as Message;
  } catch {
    return {};
  }
}
