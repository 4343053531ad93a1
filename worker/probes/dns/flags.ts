import type { DnsAskOptions } from './port.ts';

/** The query flags that do not depend on who is asked. */
export function flagsOf(options: DnsAskOptions) {
  const edns = options.edns ?? true;
  return {
    edns,
    dnssecOk: edns && (options.dnssecOk ?? false),
    checkingDisabled: options.checkingDisabled ?? false,
    ednsVersion: options.ednsVersion ?? 0,
    unknownOption: options.unknownOption ?? false,
    mixedCase: options.mixedCase ?? false,
  };
}
