import type { DnsFields } from '../../../../shared/catalogue/dns-check/report.ts';
import type { DnsCode } from '../../../../shared/catalogue/dns-check/rules.ts';
import type { Part } from '../parts.ts';
import { assessDns } from './assess-dns.ts';
import type { DnsEvidence } from './evidence.ts';
import { gatherDns } from './gather-dns.ts';

/** The DNS half: records, delegation, SOA, DNSSEC and CAA. */
export const dnsPart: Part<DnsEvidence, DnsCode, DnsFields> = { gather: gatherDns, assess: assessDns };
