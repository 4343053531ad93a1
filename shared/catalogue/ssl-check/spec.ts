import { z } from 'zod';
import type { CheckSpec } from '../spec.ts';
import { sslReportShape } from './report.ts';
import { rules } from './rules.ts';
import { sslWhys } from './why.ts';

export const sslCheck = {
  name: 'ssl-check',
  summary: 'Looks at the certificate, its chain, and all that a TLS server offers, and grades it.',
  targetKind: 'domain',
  queue: 'network',
  options: z.object({
    port: z
      .string()
      .regex(
        /^(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])$/,
        'Give a port from 1 to 65535.',
      )
      .default('443')
      .meta({ description: 'Port of a service that speaks TLS from the first byte.' }),
  }),
  repeatable: [],
  portOption: 'port',
  cost: () => 1,
  runLimitMs: () => 20_000,
  freshForS: 3600,
  waitS: 25,
  refreshFloorS: 30,
  rules,
  why: sslWhys,
  rulesVersion: 14,
  reportShape: sslReportShape,
} satisfies CheckSpec;
