import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import type { PortState } from './port.ts';

const lookAgainMs = 60_000;
const rememberedMs = 86_400_000;

/** What a process knows of connections to port 25: silence there may be this network's own. */
export type MailPort = {
  /** A host has greeted. */
  readonly noteAnswer: (host: string, address: string) => void;
  /** Asks the host that the operator named, else the last one that answered within a day; unknown without either. */
  readonly look: (dial: Dial, signal: AbortSignal) => Promise<PortState>;
};

export type MailPortOptions = {
  /** Ms that only grow. */
  readonly now?: () => number;
  /** Hears what was seen, each time that somebody had to look. */
  readonly tell?: (state: PortState) => void;
};

/** Opens the knowledge of a process. */
export function openMailPort(
  controlHost: string | undefined,
  { now = () => performance.now(), tell = () => undefined }: MailPortOptions = {},
): MailPort {
  let answered: { readonly host: string; readonly address: string; readonly at: number } | undefined;
  let looked: { readonly state: PortState; readonly at: number } | undefined;
  const ask = async (dial: Dial, signal: AbortSignal): Promise<PortState> => {
    const known = answered && now() - answered.at < rememberedMs ? answered : undefined;
    if (controlHost !== undefined) return tryHost(dial, controlHost, signal);
    return known === undefined ? 'unknown' : tryHost(dial, known.host, signal, known.address);
  };
  return {
    noteAnswer(host, address) {
      answered = { host, address, at: now() };
      looked = { state: 'open', at: now() };
    },
    async look(dial, signal) {
      if (looked && now() - looked.at < lookAgainMs) return looked.state;
      const state = await ask(dial, signal);
      if (state === 'unknown') return state;
      looked = { state, at: now() };
      tell(state);
      return state;
    },
  };
}

const silences: readonly string[] = ['connection-timeout', 'network-unreachable', 'connection-refused'];

async function tryHost(dial: Dial, host: string, signal: AbortSignal, address?: string): Promise<PortState> {
  try {
    const { socket } = await dial(host, 25, signal, address === undefined ? {} : { address });
    socket.on('error', () => undefined);
    socket.end('QUIT\r\n');
    socket.destroySoon();
    return 'open';
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    return silences.includes(error.code) ? 'blocked' : 'unknown';
  }
}
