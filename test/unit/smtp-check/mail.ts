import { createHash } from 'node:crypto';
import type { Json } from '#shared/model/verdict';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import type {
  AddressObservation,
  MailHandshake,
  MailHostObservation,
  SmtpEvidence,
  TalkObservation,
} from '../../../worker/checks/smtp-check/evidence.ts';
import type { Observation } from '../../../worker/dns/observation.ts';
import type { Tlsa } from '../../../worker/mail/parse-tlsa.ts';
import type { ReplyRead } from '../../../worker/probes/smtp/port.ts';
import { type Issued, issueCertificate } from '../ssl-check/issue-certificate.ts';

export const at = Date.UTC(2026, 10, 21);
const long = { notBefore: '2020-01-01T00:00:00', notAfter: '2036-01-01T00:00:00' };
const month = { notBefore: '2026-11-01T00:00:00', notAfter: '2026-12-01T00:00:00' };

export const root = issueCertificate({ subject: 'Root', issuer: null, isAuthority: true, ...long });
export const intermediate = issueCertificate({ subject: 'Sub', issuer: root, isAuthority: true, ...long });
export const leaf = issueCertificate({
  subject: 'mx.a.test',
  issuer: intermediate,
  names: ['mx.a.test'],
  ...month,
});
export const ofOther = issueCertificate({
  subject: 'b.test',
  issuer: intermediate,
  names: ['b.test'],
  ...month,
});
export const expired = issueCertificate({
  subject: 'mx.a.test',
  issuer: intermediate,
  names: ['mx.a.test'],
  notBefore: '2025-01-01T00:00:00',
  notAfter: '2025-02-01T00:00:00',
});
export const ownMade = issueCertificate({ subject: 'debian', issuer: null, ...long });

export const said = (code: number, ...lines: string[]): ReplyRead => ({ kind: 'reply', code, lines });
const ehloLines = ['mx.a.test', 'SIZE 1000', 'STARTTLS'];

type Talked = Extract<TalkObservation, { readonly kind: 'talked' }>;

export function connected(
  chain: readonly Issued[] = [leaf, intermediate],
  more: Partial<Extract<MailHandshake, { readonly kind: 'connected' }>> = {},
): MailHandshake {
  return {
    kind: 'connected',
    protocol: 'TLSv1.3',
    suite: 'TLS_AES_256_GCM_SHA384',
    group: 'X25519',
    certificates: chain.map(({ base64 }) => base64),
    ...more,
  };
}

export const alert: MailHandshake = {
  kind: 'failure',
  code: 'tls-failed',
  opensslCode: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  reason: 'the TLS handshake failed (alert)',
};

export function talked(more: Partial<Talked> = {}): Talked {
  return {
    kind: 'talked',
    greeting: said(220, 'mx.a.test ESMTP'),
    ehlo: said(250, ...ehloLines),
    startTls: said(220, 'go'),
    droppedBytes: 0,
    handshake: connected(),
    ehloAfter: said(250, 'mx.a.test', 'SIZE 1000'),
    ms: 10,
    ...more,
  };
}

export const plain = talked({
  ehlo: said(250, 'mx.a.test', 'SIZE 1000'),
  startTls: null,
  handshake: null,
  ehloAfter: null,
});
export const failed = talked({ handshake: alert, ehloAfter: null });
export const silent = (
  code: 'connection-timeout' | 'connection-refused' = 'connection-timeout',
): TalkObservation => ({
  kind: 'failure',
  code,
  reason:
    code === 'connection-timeout' ? 'the connection could not be made in time' : 'the connection was refused',
});
export const unasked: TalkObservation = {
  kind: 'failure',
  code: 'budget-spent',
  reason: 'there was no time left',
};
export const declined = (code: number, text: string): TalkObservation =>
  talked({ greeting: said(code, text), ehlo: null, startTls: null, handshake: null, ehloAfter: null });

/** An address; the second conversation of a good one finds no old version. */
export function address(
  first: TalkObservation,
  second: AddressObservation['second'] = null,
  ip = '192.0.2.1',
): AddressObservation {
  const isGood = first.kind === 'talked' && first.handshake?.kind === 'connected';
  return {
    address: ip,
    seenAt: at,
    first,
    second: second ?? (isGood ? { offer: 'old', talk: failed } : null),
  };
}

export function seen(
  name: string,
  type: string,
  records: readonly Json[],
  more: Partial<Observation> = {},
): Observation {
  return {
    name,
    type,
    outcome: records.length > 0 ? 'found' : 'nodata',
    records: records.map((data) => ({ name, type, ttl: 60, data })),
    secure: true,
    why: '',
    ...more,
  };
}

export type HostWishes = Partial<MailHostObservation> & {
  readonly records?: readonly Tlsa[];
  readonly isSigned?: boolean;
};

export function host(addresses: readonly AddressObservation[], wishes: HostWishes = {}): MailHostObservation {
  const { records = [], isSigned = true, host: name = 'mx.a.test', ...more } = wishes;
  return {
    host: name,
    preference: 10,
    lookups: [seen(name, 'A', ['192.0.2.1'], { secure: isSigned }), seen(name, 'AAAA', [])],
    alias: null,
    tlsa: [
      seen(
        `_25._tcp.${name}`,
        'TLSA',
        records.map((one) => ({ ...one })),
        { secure: isSigned },
      ),
    ],
    failure: null,
    addresses,
    ...more,
  };
}

export function domain(
  hosts: readonly MailHostObservation[],
  more: Partial<SmtpEvidence> = {},
): SmtpEvidence {
  return {
    domain: 'a.test',
    at,
    mx: seen(
      'a.test',
      'MX',
      hosts.map((one) => ({ preference: 10, exchange: one.host })),
    ),
    own: [seen('a.test', 'A', []), seen('a.test', 'AAAA', [])],
    resolverValidates: true,
    hosts,
    hostsLeftOut: 0,
    sts: { record: seen('_mta-sts.a.test', 'TXT', []), policy: null },
    port: 'open',
    anchors: [root.base64],
    connections: 1,
    ...more,
  };
}

/** One host at one address. */
export const one = (
  first: TalkObservation,
  second: AddressObservation['second'] = null,
  wishes: HostWishes = {},
) => domain([host([address(first, second)], wishes)]);

export function sts(mode: 'enforce' | 'testing' | 'none', mx = 'mx.a.test'): SmtpEvidence['sts'] {
  return {
    record: seen('_mta-sts.a.test', 'TXT', [{ strings: ['v=STSv1; id=1;'], text: 'v=STSv1; id=1;' }]),
    policy: {
      kind: 'response',
      status: 200,
      contentType: 'text/plain',
      location: null,
      text: `version: STSv1\nmode: ${mode}\nmx: ${mx}\nmax_age: 86400\n`,
      isCut: false,
      certificateError: null,
    },
  };
}

/** A record of a certificate or its key. */
export function tlsa(usage: number, selector: number, matchingType: number, of: Issued): Tlsa {
  const certificate = readCertificate(of.base64);
  const data = selector === 0 ? of.der : Buffer.from(certificate?.extensions.publicKeyInfo ?? []);
  const hash = ['', 'sha256', 'sha512'][matchingType];
  const hex = hash ? createHash(hash).update(data).digest('hex') : data.toString('hex');
  return { usage, selector, matchingType, certificate: hex };
}
