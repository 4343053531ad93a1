/** Messages on their way to another process. */
export type Outbox<Message> = {
  /** Sends a message with all that others of this turn of the loop have sent. */
  readonly send: (message: Message) => void;
  /** Sends a message with the next one, or after a while. The sender does not wait for it. */
  readonly sendAlong: (message: Message) => void;
  /** Sends what waits. @param onWritten once it has left this process, or cannot */
  readonly flush: (onWritten?: () => void) => void;
};

/** A message costs 25 µs on each side, whatever is in it. */
const alongMs = 200;

/** Opens an outbox. @param write gives several messages to the other process at once */
export function openOutbox<Message>(
  write: (messages: readonly Message[], onWritten: () => void) => void,
): Outbox<Message> {
  let waiting: Message[] = [];
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (onWritten: () => void = () => undefined) => {
    clearTimeout(timer);
    timer = undefined;
    isDue = false;
    const messages = waiting;
    waiting = [];
    if (messages.length > 0) write(messages, onWritten);
    else onWritten();
  };
  return {
    flush,
    send(message) {
      waiting.push(message);
      if (isDue) return;
      isDue = true;
      setImmediate(() => isDue && flush());
    },
    sendAlong(message) {
      waiting.push(message);
      timer ??= setTimeout(flush, alongMs).unref();
    },
  };
}
