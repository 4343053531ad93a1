import { rules } from '#shared/catalogue/ssl-check/rules';
import { sslCheck as spec } from '#shared/catalogue/ssl-check/spec';
import { defineCheck } from '../check.ts';
import { assessSsl } from './assess.ts';
import { gatherSsl } from './gather/gather-ssl.ts';

export const sslCheck = defineCheck({
  spec: { ...spec, rules },
  gather: gatherSsl,
  assess: assessSsl,
  atTime: (evidence, byMs) => ({ ...evidence, at: evidence.at + byMs }),
});
