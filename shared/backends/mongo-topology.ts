import { type MongoClient, MongoNetworkTimeoutError, type TopologyDescription } from 'mongodb';
import { StoreAway } from './mongo-errors.ts';

type ServerDescription = TopologyDescription['servers'] extends Map<string, infer Server> ? Server : never;

const writable: ReadonlySet<string> = new Set(['Standalone', 'RSPrimary', 'Mongos', 'LoadBalancer']);

/** Why no server takes calls, where each of them has said so and it has been so for some ms. */
export type ReadAway = (forMs: number) => StoreAway | undefined;

/**
 * Hears what the driver finds out about its servers: that one refuses connections, has no address, is no primary. Of one that is only
 * silent nothing is known; it may be slow.
 */
export function watchTopology(client: MongoClient): ReadAway {
  let fault: StoreAway | undefined;
  let since = 0;
  const readsElsewhere = client.options.readPreference.mode !== 'primary';
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    const wasAway = fault !== undefined;
    fault = faultOf(newDescription, readsElsewhere);
    if (!wasAway) since = performance.now();
  });
  return (forMs) => (performance.now() - since >= forMs ? fault : undefined);
}

function faultOf({ type, servers }: TopologyDescription, readsElsewhere: boolean): StoreAway | undefined {
  const all = [...servers.values()];
  // A server that was named alone is asked whatever it is.
  const takesCalls = ({ type: kind }: ServerDescription) =>
    writable.has(kind) || (kind !== 'Unknown' && (type === 'Single' || readsElsewhere));
  if (all.length === 0 || all.some(takesCalls) || !all.every(hasSaid)) return undefined;
  const cause = all.find(({ error }) => error)?.error;
  return new StoreAway('no server of it takes writes', cause ? { cause } : {});
}

function hasSaid({ type, error }: ServerDescription): boolean {
  if (type === 'PossiblePrimary') return false;
  return type !== 'Unknown' || (error !== null && !(error instanceof MongoNetworkTimeoutError));
}
