import type { smtpReportShape } from '#shared/catalogue/smtp-check/report';
import type { FieldsOf } from '#shared/catalogue/spec';
import type { Certificate } from '../../certificates/certificate.ts';
import type { Chain } from '../../certificates/chain.ts';
import { reportCertificate } from '../../certificates/report-certificate.ts';
import { printTlsa } from '../../mail/parse-tlsa.ts';
import type { ReplyRead } from '../../probes/smtp/port.ts';
import type { AddressFacts, HostFacts, SmtpFacts } from './facts/facts.ts';
import { readEhlo, readEhloName, readName } from './facts/replies.ts';

type SmtpFields = FieldsOf<typeof smtpReportShape>;

/** The report's own fields. */
export function reportSmtp({ evidence, hasNullMx, isImplicit, hosts, sts }: SmtpFacts): SmtpFields {
  const isKnown = evidence.mx.outcome !== 'unknown';
  return {
    nullMx: isKnown ? hasNullMx : null,
    implicit: isKnown ? isImplicit : null,
    hosts: hosts.map((host) => ({
      host: host.seen.host,
      preference: host.seen.preference,
      reason: host.seen.failure?.reason ?? null,
      tlsa: tlsaOf(host),
      addresses: host.addresses.map((one) => ({ ...reportAddress(one), ...reportSts(one, sts.mode) })),
    })),
    hostsLeftOut: evidence.hostsLeftOut,
    connections: evidence.connections,
  };
}

const tlsaShown = 20;

function tlsaOf({ records }: HostFacts): readonly string[] {
  return records.kind === 'records' ? records.all.slice(0, tlsaShown).map(printTlsa) : [];
}

function reportSts({ sts: { state, reason } }: AddressFacts, mode: SmtpFacts['sts']['mode']) {
  return { mtaSts: { mode, state, reason } };
}

function reportAddress({ seen, answer, startTls, chain, untrusted, oldVersions, dane }: AddressFacts) {
  const { connection } = startTls;
  return {
    address: seen.address,
    family: seen.address.includes(':') ? (6 as const) : (4 as const),
    checkedAt: seen.seenAt === null ? null : new Date(seen.seenAt).toISOString(),
    state: answer.state,
    reason: answer.reason,
    ...reportWords(seen.first, startTls.talk),
    startTls: startTls.state,
    startTlsReason: startTls.reason,
    protocol: connection?.protocol ?? null,
    suite: connection?.suite ?? null,
    group: connection?.group ?? null,
    oldVersions: oldVersions.kind,
    certificates: chain === null ? [] : reportChain(chain),
    trust: { trusted: chain === null ? null : untrusted === null, reason: untrusted },
    dane,
  };
}

/** What the host said. */
function reportWords(first: AddressFacts['seen']['first'], secure: AddressFacts['startTls']['talk']) {
  if (first.kind !== 'talked') return { greeting: null, name: null, ehloName: null, extensions: [] };
  const { greeting, ehlo } = first;
  const after = readEhlo(secure?.ehloAfter ?? null).extensions;
  return {
    greeting: textOf(greeting),
    name: readName(greeting),
    ehloName: readEhloName(ehlo),
    extensions: after.length > 0 ? after : readEhlo(ehlo).extensions,
  };
}

const greetingShown = 400;

function textOf(read: ReplyRead): string | null {
  return read.kind === 'reply' ? read.lines.join(' ').slice(0, greetingShown) : null;
}

function reportChain(chain: Chain) {
  return chain.sent.map((one: Certificate) => reportCertificate<never>(one, chain, []));
}
