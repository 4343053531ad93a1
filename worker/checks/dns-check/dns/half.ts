import type { DnsFields } from '#shared/catalogue/dns-check/report';
import type { DnsCode } from '#shared/catalogue/dns-check/rules';
import type { Half } from '../halves.ts';
import { assessDns } from './assess.ts';
import type { DnsEvidence } from './evidence.ts';
import { gatherDns } from './gather.ts';

/** The DNS half: records, delegation, SOA, DNSSEC and CAA. */
export const dnsHalf: Half<DnsEvidence, DnsCode, DnsFields> = { gather: gatherDns, assess: assessDns };
