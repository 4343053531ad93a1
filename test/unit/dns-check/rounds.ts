import type { DnsProbe } from '../../../worker/probes/dns/port.ts';

/** A probe whose answers wait for each other: all questions under way make one round trip, however busy the machine is. */
export function inRounds(probe: DnsProbe): { readonly probe: DnsProbe; readonly rounds: () => number } {
  let waiting: (() => void)[] = [];
  let rounds = 0;
  const release = (): void => {
    const ready = waiting;
    waiting = [];
    rounds += 1;
    for (const go of ready) go();
  };
  return {
    rounds: () => rounds,
    probe: {
      ask: async (question, options) => {
        await new Promise<void>((resolve) => {
          // Longer than it takes to read a burst of answers and to ask what they call for.
          if (waiting.push(resolve) === 1) setTimeout(release, 8);
        });
        return probe.ask(question, options);
      },
    },
  };
}
