import { Socket as UdpSocket } from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

/** A call that leaves this process, and who made it. */
export type Caught = { readonly what: string; readonly stack: string };

/** Watches everything in this process that opens a way out, whichever package does it. */
export function openTrap(): { readonly caught: readonly Caught[]; close(): void } {
  const caught: Caught[] = [];
  const undo: (() => void)[] = [];
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const watch = (owner: object, name: string, what: string) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, function watched(this: unknown, ...args: unknown[]) {
      caught.push({ what, stack: new Error().stack ?? '' });
      return original.apply(this, args);
    });
    undo.push(() => Reflect.set(owner, name, original));
  };
  watch(Socket.prototype, 'connect', 'tcp');
  watch(UdpSocket.prototype, 'connect', 'udp');
  watch(UdpSocket.prototype, 'send', 'udp');
  for (const name of [
    'lookup',
    'lookupService',
    'resolve',
    'resolve4',
    'resolve6',
    'resolveAny',
    'resolveTxt',
    'resolveMx',
    'resolveNs',
    'resolveSoa',
    'resolveCaa',
    'reverse',
  ]) {
    watch(dns, name, `dns.${name}`);
    watch(dns.promises, name, `dns.promises.${name}`);
    if (name in dns.Resolver.prototype) watch(dns.Resolver.prototype, name, `Resolver.${name}`);
  }
  syncBuiltinESMExports();
  return {
    caught,
    close() {
      for (const step of undo) step();
      Error.stackTraceLimit = limit;
      syncBuiltinESMExports();
    },
  };
}
