import { setTimeout as delay } from 'node:timers/promises';
import { openClockControl } from './clock-control.ts';
import { type HttpsControls, openHttpsControls } from './https-controls.ts';
import type { Controls, ControlNotes, ControlSubject, ControlWire, Outcome } from './port.ts';
import { openResolverControls, type ResolverControls } from './resolver-controls.ts';
import { openRootControls, type RootAnswer, type RootControls } from './root-controls.ts';
import { type Family, otherFamily, type Way } from './ways.ts';

type Asked = {
  readonly wire: ControlWire;
  readonly roots: RootControls;
  readonly https: HttpsControls;
  readonly resolver: ResolverControls;
};
type Control = (asked: Asked, about: ControlSubject) => Promise<Outcome>;

type Table = { readonly [W in Way]?: Control };
type FamilyTable = {
  readonly [K in 'dns-direct' | 'dns-tcp' | 'edns' | 'tcp' | 'https' | 'large-packets']: (
    family: Family,
    asked: Asked,
    about: ControlSubject,
  ) => Promise<Outcome>;
};

/** The controls of what one family may lack alone. */
const byFamily: FamilyTable = {
  'dns-direct': lookAtDirect,
  tcp: lookAtTcp,
  async 'dns-tcp'(family, { roots }) {
    return outcomeOf(await roots.tcp(family));
  },
  async edns(family, { roots }) {
    if ((await roots.udp(family)) !== 'true') return 'unsure';
    return outcomeOf(await roots.withEdns(family));
  },
  async https(family, asked, about) {
    const seen = await asked.https.look(about, family);
    if (seen === 'unknown') return 'unsure';
    if (seen !== 'not-connected') return 'works';
    // Where nothing of the family passes, it is not the port.
    const lost = [await lookAtFamily(family, asked, about), await lookAtTcp(family, asked, about)];
    return lost.includes('fails') ? 'unsure' : 'fails';
  },
  async 'large-packets'(family, { https, roots }, about) {
    const seen = await https.look(about, family);
    if (seen === 'secured') return 'works';
    return seen === 'silent' ? 'fails' : roots.large(family);
  },
};

/** The control of each that has one. */
const table: Table = {
  resolver: ({ resolver }) => resolver.answers(),
  'resolver/large': ({ resolver }) => resolver.large(),
  'dns-types': ({ resolver }) => resolver.types(),
  'honest-dns': ({ resolver }) => resolver.honest(),
  ipv4: (asked, about) => lookAtFamily(4, asked, about),
  ipv6: (asked, about) => lookAtFamily(6, asked, about),
  nat64: async ({ wire, roots }) => {
    if (await wire.hasRoute(4)) return 'unsure';
    const said = await roots.translated();
    if (said === 'true') return 'works';
    return said === 'silent' && (await roots.udp(6)) === 'true' ? 'fails' : 'unsure';
  },
  tls: ({ https }, about) => https.trust(about),
  ...Object.fromEntries(
    ([4, 6] as const).flatMap((family) =>
      Object.entries(byFamily).map(([kind, look]): [string, Control] => [
        `${kind}/${family}`,
        (asked, about) => look(family, asked, about),
      ]),
    ),
  ),
};

/** What an answer says where a simpler question is answered. */
function outcomeOf(said: RootAnswer): Outcome {
  if (said === 'true') return 'works';
  return said === 'not-asked' || said === 'no-route' ? 'unsure' : 'fails';
}

/** Port 53 of name servers: silence is that of the whole family where nothing else of it passes either. */
async function lookAtDirect(family: Family, asked: Asked, about: ControlSubject): Promise<Outcome> {
  const own = asked.roots.udp(family);
  const whole = (await promptly(own)) === undefined ? lookAtFamily(family, asked, about) : undefined;
  const said = await own;
  if (said === 'no-route' || said === 'not-asked') return 'unsure';
  if (said === 'other') return 'fails';
  if (said === 'true') return family === 4 && (await asked.roots.hasInterceptor()) ? 'fails' : 'works';
  return (await (whole ?? lookAtFamily(family, asked, about))) === 'fails' ? 'unsure' : 'fails';
}

/** Whether anything of a family passes. An answer that is not the true one shows that packets do. */
async function lookAtFamily(
  family: Family,
  { wire, roots, https }: Asked,
  about: ControlSubject,
): Promise<Outcome> {
  if (!(await wire.hasRoute(family))) return about.hasNoRoute === false ? 'unsure' : 'fails';
  const own = roots.udp(family);
  if ((await promptly(own)) === 'true') return 'works';
  const other = otherFamily(family);
  const [said, seen, otherSaid] = await Promise.all([own, https.look(about, family), roots.udp(other)]);
  if (said === 'true' || seen === 'secured' || seen === 'silent') return 'works';
  if (said !== 'silent') return 'unsure';
  // Only where the other family passes does silence say something of this one.
  if (otherSaid === 'true') return 'fails';
  return seen === 'not-connected' && (await https.look(about, other)) === 'secured' ? 'fails' : 'unsure';
}

/** Whether TCP passes over a family that passes UDP. */
async function lookAtTcp(family: Family, { roots, https }: Asked, about: ControlSubject): Promise<Outcome> {
  if ((await roots.udp(family)) !== 'true') return 'unsure';
  const own = roots.tcp(family);
  if ((await promptly(own)) === 'true') return 'works';
  const [said, other, seen] = await Promise.all([
    own,
    roots.tcp(otherFamily(family)),
    https.look(about, family),
  ]);
  if (said === 'true' || seen === 'secured' || seen === 'silent') return 'works';
  if (said === 'not-asked') return 'unsure';
  // Port 53 alone may be closed: then it is over the other family, too.
  return other === 'true' ? 'fails' : 'unsure';
}

/** What answers at all answers within this time nearly always; undefined where it does not, so that others are asked beside. */
function promptly<T>(work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, delay(700, undefined, { ref: false })]);
}

const standIns = ['https', 'tls', 'large-packets'];

/** Opens the controls. */
export function openControls(wire: ControlWire, notes: ControlNotes): Controls {
  const resolver = openResolverControls(wire, notes);
  const https = openHttpsControls(wire, notes);
  const asked = { wire, roots: openRootControls(wire, notes), https, resolver };
  const clock = openClockControl(wire, notes, https);
  return {
    ask: async (way, about) => (way === 'clock' ? clock() : ((await table[way]?.(asked, about)) ?? 'unsure')),
    hasStandIn: (way) => standIns.includes(way.split('/')[0] ?? ''),
    learnRewrites: () => resolver.learnRewrites(),
    learnNat64: () => resolver.learnNat64(),
    surveyed: [...(Object.keys(table) as Way[]), 'clock'],
  };
}
