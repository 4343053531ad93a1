import type { Rule } from '../../../model/verdict.ts';

/** What can differ between the addresses of one name. */
export const endpointRules = {
  'endpoint-unreachable': {
    part: 'endpoints',
    severity: 'high',
    points: 6,
    title: 'An address of the name does not work',
    detail: 'A TLS handshake with {address} fails ({reason}). Another address of {host} works.',
    fix: 'Repair the server at {address}, or remove the address from the DNS.',
    references: ['RFC 8305 §3'],
  },
  'endpoints-differ': {
    part: 'endpoints',
    severity: 'medium',
    points: 3,
    title: 'The addresses of the name answer differently',
    detail: 'The {what} of {address} is {own}; that of {other} is {theirs}.',
    fix: 'Give all servers of the name the same certificate and the same configuration.',
    references: ['RFC 9325 §3.1'],
  },
} as const satisfies Record<string, Rule>;
export type EndpointCode = keyof typeof endpointRules;
