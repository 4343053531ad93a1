import { caaNamesOf, climbCaa } from '../../../dns/climb-caa.ts';
import type { DnsAnswer, DnsProbe, DnsRecord } from '../../../probes/dns/port.ts';
import type { Http3Place, NamesObservation, RecordsObservation, TlsaRecord } from '../evidence.ts';
import type { Target } from './ask-hello.ts';

/** Asks the DNS for what it says of certificates and protocols of a host; all questions at once. */
export async function gatherNames(dns: DnsProbe, { host, port }: Target): Promise<NamesObservation> {
  const ask = (name: string, type: string) => dns.ask({ name, type }, { dnssecOk: true });
  const [tlsa, https, ...caa] = await Promise.all([
    ask(`_${port}._tcp.${host}`, 'TLSA'),
    ask(port === 443 ? host : `_${port}._https.${host}`, 'HTTPS'),
    ...caaNamesOf(host).map((name) => ask(name, 'CAA')),
  ]);
  return {
    caa: climbFrom(host, caa),
    tlsa: readRecords(tlsa, 'TLSA', readTlsa),
    httpsAlpn: readRecords(https, 'HTTPS', readAlpn),
    http3: readRecords(https, 'HTTPS', (record) => readHttp3(record, { host, port })),
    httpsEch: readRecords(https, 'HTTPS', readEch),
  };
}

type Data = { readonly [key: string]: unknown };

function readRecords<T>(
  answer: DnsAnswer,
  type: string,
  read: (record: Data) => readonly T[],
): RecordsObservation<T> {
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

function climbFrom(host: string, answers: readonly DnsAnswer[]): NamesObservation['caa'] {
  const climb = climbCaa(host, answers);
  if (climb.state === 'unknown') return { kind: 'unknown', reason: climb.why };
  const records = climb.state === 'found' ? climb.records : [];
  // No rule asks whether a CAA record is signed.
  return { kind: 'answer', isSecure: false, found: records.map(({ tag, value }) => ({ tag, value })) };
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

/** Where a record offers h3: at its target, "." for the name itself, and at its port where it has one (RFC 9460 §2.5.2, §7.2). */
function readHttp3(record: Data, { host, port }: Target): readonly Http3Place[] {
  const { target, params } = record;
  if (!readAlpn(record).includes('h3')) return [];
  const named = typeof params === 'object' && params !== null && 'port' in params ? params.port : undefined;
  const place = typeof target === 'string' ? target.toLowerCase().replace(/\.$/, '') : '';
  return [
    {
      source: 'HTTPS record',
      host: place === host ? '' : place,
      port: typeof named === 'number' ? named : port,
    },
  ];
}

function readEch({ params }: Data): readonly true[] {
  return typeof params === 'object' && params !== null && 'ech' in params ? [true] : [];
}
