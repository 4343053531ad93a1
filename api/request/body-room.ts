import type { Caller } from '#shared/limits/caller';
import { limitsByLevel } from '#shared/model/levels';
import { Problem } from '#shared/model/problem';

/** What a process holds of bodies that are not whole yet, shared by callers as places are. */
export type BodyRoom = {
  /** Opens what is held of one body. */
  open(caller: Pick<Caller, 'id' | 'kind' | 'levels'>): BodyHold;
};

export type BodyHold = {
  /** Holds more of it. Throws the Problem of a caller, or of all, who hold as much as there may be. */
  hold(bytes: number): void;
  leave(): void;
};

export type RoomLimits = {
  readonly inAll: number;
  /** Of one caller, or of all tokens of an account. */
  readonly ofCaller: number;
};

/** Four of the longest bodies at once for a caller, and eight such callers. */
export const usualRoom: RoomLimits = { inAll: 64 * 1024 * 1024, ofCaller: 8 * 1024 * 1024 };

/** Callers without a token hold so much of all of it together: one with a token always finds the rest. */
const anonymousShare = 0.75;

/** Opens the room of a process. */
export function openBodyRoom({ inAll, ofCaller }: RoomLimits): BodyRoom {
  const held = new Map<string, number>();
  const add = (name: string, bytes: number) => {
    const next = (held.get(name) ?? 0) + bytes;
    if (next > 0) held.set(name, next);
    else held.delete(name);
  };
  return {
    open(caller) {
      const limits = [
        ...limitsByLevel(caller, ofCaller),
        ...(caller.kind === 'anonymous' ? [{ name: 'anonymous', limit: anonymousShare * inAll }] : []),
        { name: 'all', limit: inAll },
      ];
      let own = 0;
      return {
        hold(bytes) {
          own += bytes;
          for (const { name } of limits) add(name, bytes);
          if (limits.some(({ name, limit }) => (held.get(name) ?? 0) > limit)) throw crowded();
        },
        leave() {
          for (const { name } of limits) add(name, -own);
          own = 0;
        },
      };
    },
  };
}

function crowded(): Problem {
  return new Problem('overloaded', 'Too many requests are being read at once. Send this one again.', {
    retryAfterS: 3,
  });
}
