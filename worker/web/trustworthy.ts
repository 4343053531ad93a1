const ownMachine = /^(?:(?:.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** True where nobody on the way can change what comes from there: TLS, or the visitor's own machine (Secure Contexts, "potentially trustworthy"). */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:' || ownMachine.test(hostname);
}
