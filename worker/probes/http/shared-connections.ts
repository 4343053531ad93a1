import { openPlaces, type Places } from '#shared/places';

/** How many requests to one origin are under way before the next waits. */
const usualConnections = 2;
/** As long as a usual page takes. Behind a slow one each request gets a connection of its own. */
const patienceMs = 1000;
/** How long an open connection is kept for a request that is about to use it. */
const expectedForMs = 1500;

/** A request that may use a connection which others have opened. */
export type Turn = {
  /** It has its connection. */
  readonly taken: () => void;
  /** Its answer was read, or will not come. */
  readonly leave: () => void;
};

/** Holds requests of one run back for a moment, so that they find an open connection. */
export type SharedConnections = {
  /** Waits until a connection to the origin may be free, and never long: a request that runs out of patience opens its own. */
  enter(origin: string, signal: AbortSignal): Promise<Turn>;
  /** Whether a request is about to use a connection to the origin. */
  isExpected(origin: string): boolean;
};

/**
 * Opens the waiting of one run. A connection with TLS costs us the CPU of ten requests, and the site as much: the seven requests that
 * security-header-check has at once made seven handshakes.
 * @param onLess told when fewer requests are about to use a connection
 */
export function openSharedConnections(onLess: () => void): SharedConnections {
  const lines = new Map<string, Places>();
  const expected = new Map<string, number>();

  const expect = (origin: string): (() => void) => {
    expected.set(origin, (expected.get(origin) ?? 0) + 1);
    const end = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      expected.set(origin, (expected.get(origin) ?? 0) - 1);
      onLess();
    };
    let timer: NodeJS.Timeout | undefined = setTimeout(end, expectedForMs);
    return end;
  };
  return {
    async enter(origin, signal) {
      const taken = expect(origin);
      const line = lines.get(origin) ?? openPlaces(usualConnections);
      lines.set(origin, line);
      const patience = line.isFree() ? signal : AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      const leaveLine = await line.enter(patience);
      return {
        taken,
        leave() {
          taken();
          leaveLine?.();
        },
      };
    },
    isExpected: (origin) => (expected.get(origin) ?? 0) > 0,
  };
}
