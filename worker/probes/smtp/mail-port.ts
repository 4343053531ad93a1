import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import type { PortSight } from './port.ts';

const lookAgainMs = 60_000;
const rememberedMs = 86_400_000;

/** What a process knows of connections to port 25: silence there may be this network's own. */
export type PortSights = {
  /** A host has greeted. */
  readonly noteAnswer: (host: string, address: string) => void;
  /** Asks the host that the operator named, else the last one that answered within a day; unknown without either. */
  readonly look: (dial: Dial, signal: AbortSignal) => Promise<PortSight>;
};

export type PortSightOptions = {
  /** Ms that only grow. */
  readonly now?: () => number;
  /** Hears what was seen, each time that somebody had to look. */
  readonly tell?: (sight: PortSight) => void;
};

/** Opens the knowledge of a process. */
export function openPortSights(
  controlHost: string | undefined,
  { now = () => performance.now(), tell = () => undefined }: PortSightOptions = {},
): PortSights {
  let answered: { readonly host: string; readonly address: string; readonly at: number } | undefined;
  let looked: { readonly sight: PortSight; readonly at: number } | undefined;
  const ask = async (dial: Dial, signal: AbortSignal): Promise<PortSight> => {
    const known = answered && now() - answered.at < rememberedMs ? answered : undefined;
    if (controlHost !== undefined) return tryHost(dial, controlHost, signal);
    return known === undefined ? 'unknown' : tryHost(dial, known.host, signal, known.address);
  };
  return {
    noteAnswer(host, address) {
      answered = { host, address, at: now() };
      looked = { sight: 'open', at: now() };
    },
    async look(dial, signal) {
      if (looked && now() - looked.at < lookAgainMs) return looked.sight;
      const sight = await ask(dial, signal);
      if (sight === 'unknown') return sight;
      looked = { sight, at: now() };
      tell(sight);
      return sight;
    },
  };
}

const silences: readonly string[] = ['connection-timeout', 'network-unreachable', 'connection-refused'];

async function tryHost(dial: Dial, host: string, signal: AbortSignal, address?: string): Promise<PortSight> {
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
