import { expect, test } from 'vitest';
import type { Http3Place, SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { readFacts } from '../../../worker/checks/ssl-check/facts/facts.ts';
import { reportServer } from '../../../worker/checks/ssl-check/report/report-server.ts';
import { evidenceOf } from './evidence-of.ts';

const { names } = evidenceOf();
const answer = { kind: 'answer', isSecure: false } as const;
const page = (...altSvc: string[]) => ({
  hsts: { kind: 'fields', url: 'https://a.test/', values: [], altSvc } as const,
});
const inDns = (alpn: readonly string[], ech: readonly true[] = []) => ({
  names: { ...names, httpsAlpn: { ...answer, found: alpn }, httpsEch: { ...answer, found: ech } },
});

const inHttps = (...found: readonly Http3Place[]) => ({
  names: { ...names, http3: { ...answer, found } },
});

test.for([
  [
    'h3 at another port of the HTTPS record',
    inHttps({ source: 'HTTPS record', host: '', port: 8443 }),
    { http3Advertised: true, http3: { state: 'unknown', source: 'HTTPS record', port: 8443 } },
  ],
  [
    'h3 in both: browsers follow Alt-Svc',
    { ...inHttps({ source: 'HTTPS record', host: '', port: 8443 }), ...page('h3=":443"') },
    { http3: { source: 'Alt-Svc', port: 443 } },
  ],
  [
    'h3 in no HTTPS record, and the page could not be read',
    { ...inHttps(), hsts: { kind: 'unknown', reason: 'no page' } },
    { http3Advertised: null, http3: { state: 'unknown', port: null } },
  ],
  [
    'h3 answers, and a reserved version among others is left out',
    { ...page('h3=":443"'), http3: { kind: 'answered', versions: [0x0a1a2a3a, 1, 0xff00001d] } },
    { http3: { state: 'answers', versions: ['QUIC v1', 'draft 29'], reason: null } },
  ],
  ['nothing is advertised', {}, { http3Advertised: false, echAdvertised: null, fallbackRefused: null }],
  ['h3 in the HTTPS record', inDns(['h2', 'h3']), { http3Advertised: true, echAdvertised: false }],
  ['h3 in Alt-Svc', page('h2=":443", h3=":443"; ma=86400'), { http3Advertised: true }],
  ['a draft of h3 in Alt-Svc', page('h3-29=":443"'), { http3Advertised: false }],
  ['Alt-Svc is cleared', page('clear'), { http3Advertised: false, http3: { state: 'not-offered' } }],
  ['a malformed Alt-Svc', page('h3=443, h3=":x", h3=":1234567"'), { http3Advertised: false }],
  [
    'h3 in Alt-Svc, and no answer of the DNS',
    { names: { ...names, httpsAlpn: { kind: 'unknown', reason: 'no answer' } }, ...page('h3=":443"') },
    { http3Advertised: true },
  ],
  ['keys for ECH', inDns(['h2'], [true]), { echAdvertised: true }],
  ['a fallback is refused', { fallback: 'refused' }, { fallbackRefused: true }],
  ['a fallback is accepted', { fallback: 'accepted' }, { fallbackRefused: false }],
  ['a fallback was not told', { fallback: 'unknown' }, { fallbackRefused: null }],
] as const satisfies readonly (readonly [string, Partial<SslEvidence>, object])[])(
  '%s',
  ([, change, expected]) => {
    expect(reportServer(readFacts(evidenceOf(change)))).toMatchObject(expected);
  },
);
