import { parse } from 'tldts';
import { siteOf } from '#shared/targets/parse-target';

/** User information that reads like a host. JSON. */
export type Lure = {
  /** The host that a reader takes it for. */
  readonly named: string;
  /** The host that the address really leads to. */
  readonly host: string;
};

/** A host at the beginning of a user name, behind a scheme at most: "www.a.test", "https://www.a.test/login". */
const hostAtStart =
  /^(?:https?:)?\/{0,2}((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62})(?![\w.@-])/i;

/**
 * Finds the host that the user information of an address pretends to lead to, as in `https://www.a.test@b.test/`. Real
 * credentials have a password that is no port, and a user name that is no host, such as a mail address.
 * @param base the address against which it is resolved
 */
export function findLure(location: string, base: string): Lure | undefined {
  if (!URL.canParse(location, base)) return undefined;
  const { username, password, hostname } = new URL(location, base);
  // "https://www.a.test:443@b.test/" names a port; any other password is one.
  if (password !== '' && !/^\d{1,5}(?:$|%2f)/i.test(password)) return undefined;
  const named = hostAtStart.exec(decodeUserName(username))?.[1]?.toLowerCase();
  if (named === undefined || !isHostName(named) || siteOf(named) === siteOf(hostname)) return undefined;
  return { named, host: hostname };
}

// The end of a host must be a suffix that exists, as "first.last" is a user name too.
function isHostName(name: string): boolean {
  const { isIcann, publicSuffix } = parse(name);
  return name.startsWith('www.') || isIcann === true || /^(?:test|example)$/.test(publicSuffix ?? '');
}

function decodeUserName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a percent sign that escapes nothing
  }
}
