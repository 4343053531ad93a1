import type { DnsAnswer, DnsProbe, DnsRecord } from '../../../probes/dns/port.ts';
import type { NamesSeen, RecordsSeen, TlsaRecord } from '../evidence.ts';
import type { Target } from './ask-hello.ts';

/** Asks the DNS for what it says of certificates and protocols of a host; all questions at once. */
export async function gatherNames(dns: DnsProbe, { host, port }: Target): Promise<NamesSeen> {
  const labels = host.split('.');
  // RFC 8659 §3: up the tree to, but without, the root.
  const climbed = labels.map((_, index) => labels.slice(index).join('.'));
  const ask = (name: string, type: string) => dns.ask({ name, type }, { dnssecOk: true });
  const [tlsa, https, ...caa] = await Promise.all([
    ask(`_${port}._tcp.${host}`, 'TLSA'),
    ask(port === 443 ? host : `_${port}._https.${host}`, 'HTTPS'),
    ...climbed.map((name) => ask(name, 'CAA')),
  ]);
  return {
    caa: nearest(caa.map((answer) => readRecords(answer, 'CAA', readCaa))),
    tlsa: readRecords(tlsa, 'TLSA', readTlsa),
    httpsAlpn: readRecords(https, 'HTTPS', readAlpn),
  };
}

type Data = { readonly [key: string]: unknown };

function readRecords<T>(
  answer: DnsAnswer,
  type: string,
  read: (record: Data) => readonly T[],
): RecordsSeen<T> {
  if (answer.kind === 'failure') return { kind: 'unknown', reason: answer.reason };
  if (answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN')
    return { kind: 'unknown', reason: `the DNS answers ${answer.rcode}` };
  const found = answer.answers
    .filter((record) => record.type === type)
    .flatMap((record) => read(dataOf(record)));
  return { kind: 'answer', isSecure: answer.flags.ad, found };
}

function dataOf({ data }: DnsRecord): Data {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Data) : {};
}

/** The first set that is not empty; not known as soon as a nearer one is not. */
function nearest<T>(answers: readonly RecordsSeen<T>[]): RecordsSeen<T> {
  const decisive = answers.find((answer) => answer.kind === 'unknown' || answer.found.length > 0);
  return decisive ?? answers[0] ?? { kind: 'unknown', reason: 'nothing was asked' };
}

function readCaa({ tag, value }: Data): readonly { tag: string; value: string }[] {
  return typeof tag === 'string' && typeof value === 'string' ? [{ tag, value }] : [];
}

function readTlsa({ usage, selector, matchingType, certificate }: Data): readonly TlsaRecord[] {
  return typeof usage === 'number' &&
    typeof selector === 'number' &&
    typeof matchingType === 'number' &&
    typeof certificate === 'string'
    ? [{ usage, selector, matchingType, certificate }]
    : [];
}

function readAlpn({ params }: Data): readonly string[] {
  const alpn = typeof params === 'object' && params !== null && 'alpn' in params ? params.alpn : [];
  return Array.isArray(alpn) ? alpn.filter((protocol) => typeof protocol === 'string') : [];
}
