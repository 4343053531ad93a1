import type { Attributes } from '#shared/ports/tracing';
import type {
  BrowserFailure,
  BrowserRequest,
  BrowserRun,
  FieldObservation,
  PsiAnswer,
} from '../probes/browser/port.ts';
import type { DnsAnswer, DnsQuestion, DnsTransfer } from '../probes/dns/port.ts';
import type { HttpAnswer, HttpRequest } from '../probes/http/port.ts';
import type { Exchange, ExchangeRequest, Handshake, HandshakeRequest } from '../probes/tls/port.ts';
import type { UdpExchange, UdpRequest } from '../probes/udp/port.ts';

/** A question and what came of it, as its span tells it. */
export type ToldQuestion = {
  readonly name: string;
  readonly attributes: Attributes;
  /** The code of the failure; left out where an answer came, whatever it says. */
  readonly failure?: string | undefined;
};

/** A question to the DNS. @param tookMs shorter than the answer once took: it was remembered from another run */
export function describeDns({ name, type }: DnsQuestion, answer: DnsAnswer, tookMs: number): ToldQuestion {
  const attributes = { 'dns.question.name': name, 'diag.dns.type': type, 'server.address': answer.server };
  if (answer.kind === 'failure') return { name: 'DNS question', attributes, failure: answer.code };
  return {
    name: 'DNS question',
    attributes: {
      ...attributes,
      'network.transport': answer.transport,
      'diag.dns.rcode': answer.rcode,
      'diag.dns.answers': answer.answers.length,
      'diag.bytes': answer.sizeBytes,
      'diag.dns.remembered': tookMs < answer.rttMs || undefined,
    },
  };
}

/** A request for a whole zone. */
export function describeTransfer(zone: string, server: string, answer: DnsTransfer): ToldQuestion {
  const attributes = { 'dns.question.name': zone, 'diag.dns.type': 'AXFR', 'server.address': server };
  if (answer.kind === 'failure') return { name: 'DNS transfer', attributes, failure: answer.code };
  const rcode = answer.kind === 'refused' ? answer.rcode : 'NOERROR';
  return { name: 'DNS transfer', attributes: { ...attributes, 'diag.dns.rcode': rcode } };
}

/** An HTTP request. */
export function describeHttp({ url, method = 'GET' }: HttpRequest, answer: HttpAnswer): ToldQuestion {
  const attributes = {
    'http.request.method': method,
    ...placeOf(url),
    'network.peer.address': answer.address ?? undefined,
  };
  if (answer.kind === 'failure') return { name: 'HTTP request', attributes, failure: answer.code };
  const { status, httpVersion, body, tls, timings } = answer;
  return {
    name: 'HTTP request',
    attributes: {
      ...attributes,
      'http.response.status_code': status,
      'network.protocol.version': httpVersion,
      'http.response.body.size': body.wireBytes,
      'diag.http.cut': body.cut,
      'tls.protocol.version': tls?.protocol ?? undefined,
      'diag.tls.error': tls?.error ?? undefined,
      'diag.http.dns_ms': timings.dns,
      'diag.http.tcp_ms': timings.tcp,
      'diag.http.tls_ms': timings.tls,
      'diag.http.ttfb_ms': timings.ttfb,
    },
  };
}

/** A TLS handshake by OpenSSL. */
export function describeHandshake(request: HandshakeRequest, answer: Handshake): ToldQuestion {
  const { host, port, servername } = request;
  const attributes = {
    'server.address': host,
    'server.port': port,
    'tls.client.server_name': servername ?? undefined,
    'network.peer.address': answer.address ?? undefined,
  };
  if (answer.kind === 'failure')
    return {
      name: 'TLS handshake',
      attributes: { ...attributes, 'diag.tls.error': answer.opensslCode ?? undefined },
      failure: answer.code,
    };
  return {
    name: 'TLS handshake',
    attributes: {
      ...attributes,
      'tls.protocol.version': answer.protocol,
      'tls.cipher': answer.cipher.standardName,
      'tls.next_protocol': answer.alpn ?? undefined,
      'diag.tls.error': answer.trustError ?? undefined,
    },
  };
}

/** Bytes that were sent as they are, and their answer. */
export function describeExchange({ host, port, send }: ExchangeRequest, answer: Exchange): ToldQuestion {
  const attributes = {
    'server.address': host,
    'server.port': port,
    'network.peer.address': answer.address ?? undefined,
    'diag.sent_bytes': send.length,
  };
  if (answer.kind === 'failure') return { name: 'TLS exchange', attributes, failure: answer.code };
  return {
    name: 'TLS exchange',
    attributes: { ...attributes, 'diag.bytes': answer.bytes.length, 'diag.exchange.ended': answer.ended },
  };
}

/** A datagram, and the first that came back. */
export function describeUdp({ host, port, address, send }: UdpRequest, answer: UdpExchange): ToldQuestion {
  const attributes = {
    'server.address': host,
    'server.port': port,
    'network.transport': 'udp',
    'network.peer.address': address,
    'diag.sent_bytes': send.length,
  };
  if (answer.kind === 'failure') return { name: 'UDP exchange', attributes, failure: answer.code };
  const bytes = answer.kind === 'received' ? answer.bytes.length : 0;
  return { name: 'UDP exchange', attributes: { ...attributes, 'diag.bytes': bytes } };
}

/** A page that was loaded in the browser. */
export function describePage(
  { url, strategy }: BrowserRequest,
  answer: BrowserRun | PsiAnswer | BrowserFailure,
): ToldQuestion {
  const attributes = { ...placeOf(url), 'diag.page.strategy': strategy };
  if (answer.kind === 'failure') return { name: 'page load', attributes, failure: answer.code };
  if (answer.kind === 'answer')
    return {
      name: 'page load',
      attributes: { ...attributes, 'diag.page.source': 'psi', 'http.response.status_code': answer.status },
    };
  const { end, traffic } = answer;
  return {
    name: 'page load',
    attributes: {
      ...attributes,
      'diag.page.end': end.kind,
      'diag.page.connections': traffic.connections,
      'diag.bytes': traffic.receivedBytes,
      'diag.sent_bytes': traffic.sentBytes,
    },
    failure: end.kind === 'loaded' ? undefined : end.kind,
  };
}

/** A question for field data: to Google, about the page. */
export function describeField(url: string, strategy: string, observation: FieldObservation): ToldQuestion {
  return {
    name: 'field data',
    attributes: {
      'url.full': placeOf(url)['url.full'],
      'diag.page.strategy': strategy,
      'diag.field.scope': observation.kind === 'record' ? observation.scope : 'none',
    },
  };
}

/** Where a URL leads. As in the log, its path and query stay out, for they may hold secrets; well-known paths are public (RFC 8615). */
function placeOf(text: string) {
  const url = URL.parse(text);
  if (!url) return { 'url.full': '***', 'server.address': undefined, 'server.port': undefined };
  const isPublic = url.pathname === '/' || url.pathname.startsWith('/.well-known/');
  const query = url.search === '' ? '' : '?***';
  return {
    'url.full': `${url.origin}${isPublic ? url.pathname : '/***'}${query}`,
    'server.address': url.hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  };
}
