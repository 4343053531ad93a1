import type { TlsProbe } from '../../../probes/tls/port.ts';
import type { EndpointObservation, HandshakeAnswer, Question } from '../evidence.ts';
import { type AllowanceLimits, openAllowance } from './allowance.ts';
import { type HelloAsker, openHelloAsker, type Target } from './ask-hello.ts';
import { askOnce } from './ask-questions.ts';
import { gatherHandshakes, shakeOnce } from './gather-handshakes.ts';
import { lanesOf, openLanes } from './lanes.ts';

/** How many addresses get a short look. */
const shortLooks = 8;

/** What a short look may cost: up to three handshakes, and three ClientHellos for old versions. */
const connectionsOfOther = 6;
const handshakesOfOther = 3;

/** How many addresses are looked at in all; those after the short looks by one handshake each. */
const addressesAtMost = 32;

/** How many more are listed as not looked at. */
const listedAtMost = 64;

/** How many addresses are asked at once. */
const addressesAtOnce = 4;

/** The first address of each family, IPv4 first. */
export function firstOfFamilies(addresses: readonly string[]): readonly string[] {
  return familiesOf(addresses).flatMap((family) => family.slice(0, 1));
}

/** Up to eight addresses: as many of each family as possible, the first of each first. */
export function spread(addresses: readonly string[]): readonly string[] {
  const families = familiesOf(addresses);
  const longest = Math.max(...families.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, index) =>
    families.flatMap((family) => family.slice(index, index + 1)),
  );
  return turns.flat().slice(0, shortLooks);
}

function familiesOf(addresses: readonly string[]): readonly (readonly string[])[] {
  const isIpv6 = (address: string) => address.includes(':');
  return [addresses.filter((one) => !isIpv6(one)), addresses.filter(isIpv6)];
}

export type OtherAddresses = {
  readonly limits: AllowanceLimits;
  /** How much of the run's time is over. */
  readonly spentMs: number;
  readonly addresses: readonly string[];
};

/** Looks shortly at these addresses of a name: a handshake as a browser makes it, and at the first eight whether versions before TLS 1.2 are accepted. */
export async function lookAtOthers(
  probe: TlsProbe,
  target: Target,
  { limits, spentMs, addresses }: OtherAddresses,
): Promise<{ readonly endpoints: readonly EndpointObservation[]; readonly connections: number }> {
  const lanes = openLanes(lanesOf(addressesAtOnce));
  const start = performance.now();
  const leftMs = () => limits.timeMs - spentMs - (performance.now() - start);
  const short = {
    ...limits,
    connections: connectionsOfOther,
    kept: handshakesOfOther,
    // One that is silent once keeps the others waiting.
    silences: 1,
  };
  const first = spread(addresses);
  const others = addresses.filter((address) => !first.includes(address));
  // Two at most were looked at in full.
  const brief = others.slice(0, addressesAtMost - shortLooks - 2);
  const unseen = others.slice(brief.length, brief.length + listedAtMost);
  const looked = await Promise.all([
    ...first.map((address) =>
      lanes(() => lookShortly(probe, { ...target, address }, { ...short, timeMs: leftMs() })),
    ),
    ...brief.map((address) =>
      lanes(() => lookBriefly(probe, { ...target, address }, { ...short, timeMs: leftMs() })),
    ),
  ]);
  const listed = unseen.map((address) => notLookedAt(address));
  return {
    endpoints: [...looked, ...listed].map(({ endpoint }) => endpoint),
    connections: looked.reduce((sum, { taken }) => sum + taken, 0),
  };
}

async function lookShortly(
  probe: TlsProbe,
  target: Target & { address: string },
  limits: AllowanceLimits,
): Promise<CountedEndpoint> {
  const { address } = target;
  const allowance = openAllowance(limits, () => performance.now());
  const asker = openHelloAsker({ probe, target, allowance, lanes: openLanes(lanesOf(2)) });
  const { seen } = await gatherHandshakes({ tls: probe, target, allowance });
  const handshake = seen.at(-1)?.handshake ?? notBegun(address);
  const oldVersions = handshake.kind === 'connected' ? await askWhetherOld(asker) : [];
  return { endpoint: { address, handshake, oldVersions }, taken: allowance.taken() };
}

/** One handshake: what clients are shown, and in which version. */
async function lookBriefly(
  probe: TlsProbe,
  target: Target & { address: string },
  limits: AllowanceLimits,
): Promise<CountedEndpoint> {
  const { address } = target;
  const allowance = openAllowance(limits, () => performance.now());
  const { seen } = await shakeOnce({ tls: probe, target, allowance });
  const handshake = seen.at(-1)?.handshake ?? notBegun(address);
  return { endpoint: { address, handshake, isBrief: true }, taken: allowance.taken() };
}

type CountedEndpoint = { readonly endpoint: EndpointObservation; readonly taken: number };

function notLookedAt(address: string): CountedEndpoint {
  const reason = 'the name has more addresses than are looked at';
  return { endpoint: { address, handshake: { ...notBegun(address), reason }, isBrief: true }, taken: 0 };
}

function notBegun(address: string): Extract<HandshakeAnswer, { kind: 'failure' }> {
  return {
    kind: 'failure',
    code: 'budget-spent',
    opensslCode: null,
    reason: 'there was no time left',
    address,
  };
}

/** One hello is enough where nothing older than TLS 1.2 is spoken. */
async function askWhetherOld(asker: HelloAsker): Promise<readonly Question[]> {
  const first = await askOnce(asker, 'TLSv1.1', 'old');
  const { end } = first;
  if (end.kind === 'refused' && end.by !== 'other-version') return [first];
  return [first, await askOnce(asker, 'TLSv1', 'old')];
}
