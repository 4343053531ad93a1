import type { Fix } from '#shared/model/verdict';
import type { KnownServers } from './known-server.ts';
import type { Server } from './servers.ts';
import type { Want } from './want.ts';

type Lines = Pick<Fix, 'snippets' | 'notTried'>;
type Servers = { readonly [name: string]: Server };

/** What sets cookies: the application, not the server in front of it. */
const applications: ReadonlySet<string> = new Set(['express', 'php']);

/**
 * The lines to paste that bring about all that is wanted, by server: those that the site is known to use first. A server that cannot do all of
 * it is left out. Empty where nothing is wanted, or no server can.
 * @param first a form of the lines that belongs to no server, such as the header as it is sent; it comes first where no server is known
 */
export function linesOf(
  wants: readonly Want[],
  servers: Servers,
  known: KnownServers,
  first: { readonly [name: string]: string },
): Lines {
  if (wants.length === 0) return {};
  const made = Object.entries(servers).flatMap(([name, server]): [string, string][] => {
    const lines = wants.map((want) => linesFor(server, want));
    return lines.every((each) => each !== undefined) ? [[name, joined(lines)]] : [];
  });
  if (made.length === 0) return {};
  const isCookie = wants.some(({ kind }) => kind === 'cookie');
  const order = isCookie
    ? known.names.toSorted((a, b) => Number(applications.has(b)) - Number(applications.has(a)))
    : known.names;
  const rank = ([name]: readonly [string, string]) =>
    order.includes(name) ? order.indexOf(name) : order.length;
  const sorted = made.toSorted((a, b) => rank(a) - rank(b));
  const isKnown = sorted.some(([name]) => order.includes(name));
  const notTried = sorted.map(([name]) => name).filter((name) => servers[name]?.isUntried === true);
  return {
    snippets: Object.fromEntries([
      ...(isKnown ? [] : Object.entries(first)),
      ...sorted,
      ...(isKnown ? Object.entries(first) : []),
    ]),
    ...(notTried.length > 0 ? { notTried } : {}),
  };
}

function linesFor(server: Server, want: Want): readonly string[] | undefined {
  const make = server[want.kind] as ((want: Want) => readonly string[] | undefined) | undefined;
  return make?.(want);
}

/** One text; what a comment says is said once. */
function joined(pieces: readonly (readonly string[])[]): string {
  const said = new Set<string>();
  const lines = pieces.flat().filter((line) => {
    const isRepeated = said.has(line);
    if (/^(?:#|\/\/|;|<!--)/.test(line)) said.add(line);
    return !isRepeated;
  });
  return lines.join('\n');
}
