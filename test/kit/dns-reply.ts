import type { DnsQuestion, DnsReply } from '../../worker/probes/dns/port.ts';

/** What a resolver answers: NOERROR without records, and what is given laid over it. */
export function dnsReply(question: DnsQuestion, more: Partial<DnsReply> = {}): DnsReply {
  return {
    kind: 'answer',
    question,
    rcode: 'NOERROR',
    flags: { aa: false, tc: false, ra: true, ad: false },
    answers: [],
    authority: [],
    additional: [],
    ede: [],
    edns: null,
    server: '192.0.2.53',
    transport: 'udp',
    rttMs: 1,
    sizeBytes: 100,
    ...more,
  };
}
