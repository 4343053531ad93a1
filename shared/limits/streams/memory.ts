import type { StreamPlaces } from '../../ports/stream-places.ts';

/** The places of a single process. */
export function openMemoryStreamPlaces(): StreamPlaces {
  const open = new Map<string, number>();
  return {
    async take(account, most) {
      const taken = open.get(account) ?? 0;
      if (taken >= most) return undefined;
      open.set(account, taken + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (open.get(account) ?? 1) - 1;
        if (left > 0) open.set(account, left);
        else open.delete(account);
      };
    },
  };
}
