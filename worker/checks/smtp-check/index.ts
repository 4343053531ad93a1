import { rules } from '#shared/catalogue/smtp-check/rules';
import { smtpCheck as spec } from '#shared/catalogue/smtp-check/spec';
import { defineCheck } from '../check.ts';
import { assessSmtp } from './assess.ts';
import { gatherSmtp } from './gather/gather-smtp.ts';

export const smtpCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherSmtp,
  assess: assessSmtp,
  atTime: (evidence, byMs) => ({ ...evidence, at: evidence.at + byMs }),
});
