import {
  mixedContentRules,
  permissionsRules,
  referrerRules,
  sniffingRules,
  subresourceRules,
} from './rules/content.ts';
import { cookieRules } from './rules/cookies.ts';
import { corsRules, isolationRules } from './rules/cross-origin.ts';
import { cspRules } from './rules/csp.ts';
import { framingRules } from './rules/framing.ts';
import { hygieneRules, leakageRules, targetRules } from './rules/leakage.ts';
import { robotsRules, securityTxtRules } from './rules/site-files.ts';
import { hstsRules, redirectRules } from './rules/transport.ts';

/**
 * Everything that can be wrong with the security headers of an answer. Points are a share of the group's points by severity;
 * of each group only the worst finding counts, so that one fault is not punished twice.
 */
export const rules = {
  ...targetRules,
  ...redirectRules,
  ...hstsRules,
  ...cspRules,
  ...framingRules,
  ...cookieRules,
  ...corsRules,
  ...sniffingRules,
  ...referrerRules,
  ...permissionsRules,
  ...isolationRules,
  ...subresourceRules,
  ...mixedContentRules,
  ...leakageRules,
  ...hygieneRules,
  ...securityTxtRules,
  ...robotsRules,
};

export type HeaderCode = keyof typeof rules;
