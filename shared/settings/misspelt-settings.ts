import { editDistance } from './edit-distance.ts';

/** A variable that looks like a setting but is none, and the setting that was probably meant. */
export type Misspelling = { readonly variable: string; readonly setting: string };

/** Beginnings that only our settings have: a variable with one of them was meant for us, also where no setting is near. */
const ownPrefixes = [
  'LIMIT_ANON_',
  'LIMIT_TOKEN_',
  'TARGET_ALLOW_',
  'TARGET_DENY_',
  'TARGET_PORT_',
  'PROBE_',
  'HSTS_PRELOAD_',
  'BROWSER_NO_',
];

// Kubernetes and Docker's links describe every service beside us in variables of these forms, under the service's name.
const linkName = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const linkValue = /^(?:tcp|udp|sctp):\/\//;

/** Short names are near to too much: below `leastLength` none is compared, from `longLength` on two edits count. */
const leastLength = 6;
const longLength = 9;

/**
 * Finds variables that were probably meant as settings: a setting with one or two characters wrong, with letters in another case, or with a beginning that only our settings have.
 * A variable near a setting that is set itself is someone else's: many platforms give REDIS_URI beside REDIS_URL.
 * @param environment variables by name; empty ones count as unset
 * @param settings the names of all settings
 */
export function findMisspellings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): readonly Misspelling[] {
  const isSet = (name: string) => Boolean(environment[name]);
  return Object.entries(environment).flatMap(([variable, value = '']) => {
    if (value === '' || settings.includes(variable) || isLink(variable, value)) return [];
    const name = variable.toUpperCase();
    const near = nearestOf(name, settings, mostEdits);
    if (near !== undefined) return isSet(near) || isSet(`${near}_FILE`) ? [] : [{ variable, setting: near }];
    const prefix = ownPrefixes.find((each) => name.startsWith(each));
    const relatives = settings.filter((setting) => prefix !== undefined && setting.startsWith(prefix));
    const relative = nearestOf(name, relatives, () => Number.POSITIVE_INFINITY);
    return relative === undefined ? [] : [{ variable, setting: relative }];
  });
}

/** Says what is wrong with each: a line for an operator. */
export function describeMisspelling({ variable, setting }: Misspelling): string {
  return `${variable}: is not a setting. Did you mean ${setting}?`;
}

function isLink(variable: string, value: string): boolean {
  return linkName.test(variable) || linkValue.test(value);
}

function mostEdits({ length }: string): number {
  if (length < leastLength) return 0;
  return length < longLength ? 1 : 2;
}

function nearestOf(
  name: string,
  settings: readonly string[],
  most: (setting: string) => number,
): string | undefined {
  if (name.length > 60) return undefined;
  const [best] = settings
    .filter((setting) => Math.abs(setting.length - name.length) <= most(setting))
    .map((setting) => ({ setting, edits: editDistance(name, setting) }))
    .filter(({ setting, edits }) => edits <= most(setting))
    .toSorted((one, other) => one.edits - other.edits);
  return best?.setting;
}
