import { openPlaces, type Places } from '#shared/time/places';

/** How many requests to one origin are under way before the next waits. */
const usualConnections = 2;

/** How long a request waits for an open connection. Then it gets one of its own: the caller's wait counts more than our CPU. */
export type Patience = {
  /** From when there is a connection, with which another request is busy. */
  readonly answerMs: number;
  /** While there is none: another would take as long to make. */
  readonly connectionMs: number;
};
export const usualPatience: Patience = { answerMs: 300, connectionMs: 1500 };
/** How long an open connection is kept for a request that is about to use it. */
const expectedForMs = 2000;

/** A request that may use a connection which others have opened. */
export type ConnectionTurn = {
  /** It has its connection. */
  readonly taken: () => void;
  /** Its answer was read, or will not come. */
  readonly leave: () => void;
};

/** Holds requests of one run back for a moment, so that they find an open connection. */
export type SharedConnections = {
  /** Waits until a connection to the origin may be free; without patience it does not wait. */
  enter(origin: string, patience: Patience | undefined, signal: AbortSignal): Promise<ConnectionTurn>;
  /** Whether a request is about to use a connection to the origin. */
  isExpected(origin: string): boolean;
};

type Origin = {
  readonly places: Places;
  /** Settles when there is a connection. */
  readonly connected: PromiseWithResolvers<void>;
  expected: number;
};

/**
 * Opens the waiting of one run. A connection with TLS costs us the CPU of some requests, and the site as much: the seven requests that
 * security-header-check has at once make seven handshakes.
 * @param onLess told when fewer requests are about to use a connection
 */
export function openSharedConnections(onLess: () => void): SharedConnections {
  const origins = new Map<string, Origin>();
  const open = (name: string): Origin => {
    const known = origins.get(name);
    if (known) return known;
    const opened = {
      places: openPlaces(usualConnections),
      connected: Promise.withResolvers<void>(),
      expected: 0,
    };
    origins.set(name, opened);
    return opened;
  };
  const expect = (origin: Origin): (() => void) => {
    origin.expected += 1;
    const end = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      origin.expected -= 1;
      onLess();
    };
    let timer: NodeJS.Timeout | undefined = setTimeout(end, expectedForMs);
    return end;
  };
  return {
    async enter(name, patience, signal) {
      const origin = open(name);
      const unexpect = expect(origin);
      const leavePlace = patience && (await waitFor(origin, patience, signal));
      return {
        taken() {
          unexpect();
          origin.connected.resolve();
        },
        leave() {
          unexpect();
          leavePlace?.();
        },
      };
    },
    isExpected: (name) => (origins.get(name)?.expected ?? 0) > 0,
  };
}

/** Gives what leaves the place, or undefined once patience or the run is over. */
async function waitFor({ places, connected }: Origin, patience: Patience, signal: AbortSignal) {
  if (places.isFree()) return places.enter(signal);
  const giving = new AbortController();
  const giveUp = () => giving.abort();
  const timers = [setTimeout(giveUp, patience.connectionMs)];
  void connected.promise.then(() => {
    if (timers.length > 0) timers.push(setTimeout(giveUp, patience.answerMs));
  });
  const leave = await places.enter(AbortSignal.any([signal, giving.signal]));
  for (const timer of timers.splice(0)) clearTimeout(timer);
  return leave;
}
