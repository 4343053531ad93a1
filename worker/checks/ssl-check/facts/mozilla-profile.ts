import { type SuiteSet } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { isSetKnown, type SslFacts } from './facts.ts';

/** The profiles of Mozilla's recommendations, strictest first (Server Side TLS 5.8). */
const profiles = [
  { name: 'modern', versions: ['TLSv1.3'], suites: [] },
  {
    name: 'intermediate',
    versions: ['TLSv1.2', 'TLSv1.3'],
    suites: [0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8],
  },
  {
    name: 'old',
    versions: ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'],
    suites: [
      0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0x009e, 0x009f, 0xccaa, 0xc023, 0xc027, 0xc009, 0xc013,
      0xc024, 0xc028, 0xc00a, 0xc014, 0x0067, 0x006b, 0x009c, 0x009d, 0x003c, 0x003d, 0x002f, 0x0035, 0x000a,
    ],
  },
] as const satisfies readonly {
  readonly name: string;
  readonly versions: readonly VersionName[];
  readonly suites: readonly number[];
}[];

export type MozillaProfile = (typeof profiles)[number]['name'] | 'none';

const setsAsked: readonly SuiteSet[] = ['sound', 'withoutForwardSecrecy', 'dangerous'];

/** The strictest profile that the server offers nothing beyond, by versions and suites; null when not all of them are known. */
export function fitMozillaProfile(facts: SslFacts): MozillaProfile | null {
  const { protocols, suites } = facts;
  const isKnown =
    versionNames.every((version) => protocols[version] !== null || version === 'SSLv2') &&
    setsAsked.every((set) => isSetKnown(facts, 'TLSv1.2', set));
  if (!isKnown) return null;
  const offered = versionNames.filter((version) => protocols[version] === true);
  const ids = suites.filter(({ version }) => version !== 'TLSv1.3').map(({ suite }) => suite.id);
  const fits = profiles.find(
    (profile) =>
      offered.includes('TLSv1.3') &&
      offered.every((version) => (profile.versions as readonly VersionName[]).includes(version)) &&
      ids.every((id) => (profile.suites as readonly number[]).includes(id)),
  );
  return fits?.name ?? 'none';
}
