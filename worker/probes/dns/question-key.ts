import type { DnsAskOptions, DnsQuestion } from './port.ts';

/** What makes two questions the same: one key for both, whatever the letters' case of the name. */
export function questionKey({ name, type }: DnsQuestion, options: DnsAskOptions): string {
  const {
    server = '',
    dnssecOk = false,
    checkingDisabled = false,
    recursionDesired = 'default',
    transport = 'udp',
    edns = true,
    ednsVersion = 0,
    unknownOption = false,
    mixedCase = false,
  } = options;
  return [
    name.toLowerCase(),
    type,
    server,
    dnssecOk,
    checkingDisabled,
    recursionDesired,
    transport,
    edns,
    ednsVersion,
    unknownOption,
    mixedCase,
  ].join(' ');
}
