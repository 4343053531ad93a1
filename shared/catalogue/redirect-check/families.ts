import type { Rule } from '../../model/verdict.ts';

/** What differs between the IPv4 and the IPv6 address of the last page. security-header-check tells the same, without points. */
export const familyRules = {
  'ipv6-broken': {
    severity: 'high',
    points: 15,
    title: 'The page does not answer over IPv6',
    detail:
      '{url} has an IPv6 address, but could not be asked there: {reason}. It answers over IPv4. Visitors who only have IPv6 cannot get to the page.',
    fix: 'Make the server listen on its IPv6 address and allow it in the firewall, or remove the AAAA record.',
    references: ['RFC 8305 §5', 'RFC 6589 §2'],
  },
  'address-families-differ': {
    severity: 'medium',
    points: 10,
    title: 'The page differs between IPv4 and IPv6',
    detail:
      '{field} of {url} is {ipv4} over IPv4 and {ipv6} over IPv6. Each address was asked once, one after the other.',
    fix: 'Give both addresses the same configuration. Often one of them points to another server or bypasses the CDN.',
    references: ['RFC 8305 §5', 'RFC 6589 §2'],
  },
  'ipv6-slow': {
    severity: 'low',
    points: 3,
    title: 'The page is slower over IPv6',
    detail: '{url} took {ipv6Ms} ms over IPv6 and {ipv4Ms} ms over IPv4 until the first byte.',
    fix: 'Compare the routes to both addresses. An IPv6 tunnel or a distant IPv6 address is often the cause.',
    references: ['RFC 8305 §5'],
  },
} as const satisfies Record<string, Rule>;

export type FamilyCode = keyof typeof familyRules;
