import { getDomain } from 'tldts';
import type { DnsProbe } from '../../../worker/probes/dns/port.ts';
import { openWorld, type World } from './world.ts';

/** Packets that a silent server costs: its tries over UDP, or one connection. */
const packetsOfSilence = 3;

/** What a run cost others: distinct questions by foreign registrable domain, and packets and connections by server address. */
export type Cost = {
  questions: number;
  readonly byDomain: Map<string, number>;
  readonly packets: Map<string, number>;
  readonly connections: Map<string, number>;
};

/** A probe of a world that counts as those who are asked would. Equal questions of a run are sent once, as the real probe sends them. */
export function countingProbe(world: World, own: string): { readonly probe: DnsProbe; readonly cost: Cost } {
  const { probe } = openWorld(world);
  const cost: Cost = { questions: 0, byDomain: new Map(), packets: new Map(), connections: new Map() };
  const seen = new Set<string>();
  const add = (counts: Map<string, number>, key: string, count = 1) =>
    counts.set(key, (counts.get(key) ?? 0) + count);
  return {
    cost,
    probe: {
      async ask(question, options = {}) {
        const key = JSON.stringify([question.name, question.type, options]);
        const answer = await probe.ask(question, options);
        if (seen.has(key)) return answer;
        seen.add(key);
        cost.questions += 1;
        const domain = getDomain(question.name, { validateHostname: false });
        if (options.server === undefined && domain !== null && domain !== own) add(cost.byDomain, domain);
        if (options.server !== undefined && options.transport === 'tcp')
          add(cost.connections, options.server);
        else if (options.server !== undefined)
          add(cost.packets, options.server, answer.kind === 'failure' ? packetsOfSilence : 1);
        return answer;
      },
    },
  };
}

/** The largest count, and what it is of; 0 of nothing where there is none. */
export function mostOf(counts: ReadonlyMap<string, number>): readonly [of: string, count: number] {
  return [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? ['', 0];
}

/** All counts together. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
