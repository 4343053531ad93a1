import type { CheckSpec } from '../spec.ts';
import { dnsCheckOptions } from './options.ts';
import { dnsReportShape } from './report.ts';
import { rules } from './rules.ts';
import { dnsCheckWhys } from './why.ts';

export const dnsCheck = {
  name: 'dns-check',
  summary:
    'Reads a domain’s records, asks its parent and each of its name servers, checks DNSSEC and mail settings, and judges them.',
  targetKind: 'domain',
  queue: 'network',
  options: dnsCheckOptions,
  repeatable: ['dkimSelector'],
  cost: () => 1,
  runLimitMs: () => 15_000,
  freshForS: 300,
  waitS: 25,
  refreshFloorS: 30,
  rules,
  why: dnsCheckWhys,
  rulesVersion: 11,
  reportShape: dnsReportShape,
} satisfies CheckSpec;
