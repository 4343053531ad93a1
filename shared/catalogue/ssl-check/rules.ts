import type { Rule } from '../../model/verdict.ts';
import { certificateRules } from './rules/certificate.ts';
import { clientRules } from './rules/client.ts';
import { connectionRules } from './rules/connection.ts';
import { endpointRules } from './rules/endpoint.ts';
import { nameRules } from './rules/name.ts';
import { protocolRules } from './rules/protocol.ts';
import { suiteRules } from './rules/suite.ts';

/**
 * Everything that can be wrong with a TLS server.
 * Points of a rule that caps the letter are those from 100 down to the letter's place on our scale (worker's `caps`): 80 F, 25 C, 15 B, 9 A-.
 * Fewer points are taken off inside a letter. Rules of the connection take none, for without a handshake there is no score.
 */
export const rules = {
  ...connectionRules,
  ...certificateRules,
  ...clientRules,
  ...endpointRules,
  ...protocolRules,
  ...suiteRules,
  ...nameRules,
} as const satisfies Record<string, Rule>;

export type SslCode = keyof typeof rules;
