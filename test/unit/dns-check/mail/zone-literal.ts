import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DnsCheckOptions } from '#shared/catalogue/dns-check/options';
import type { Json } from '#shared/model/verdict';
import type { MailContext } from '../../../../worker/checks/dns-check/mail/gather.ts';
import type {
  DnsAnswer,
  DnsAskOptions,
  DnsProbe,
  DnsQuestion,
  DnsRecord,
} from '../../../../worker/probes/dns/port.ts';
import type { HttpAnswer, HttpProbe } from '../../../../worker/probes/http/port.ts';
import { dnsReply } from '../../../kit/dns-reply.ts';

/** "name TYPE" → records as in a zone file; a TXT record of several strings is a list; null takes the name's records away. */
export type ZoneLiteral = {
  readonly [key: string]: string | readonly (string | readonly string[])[] | Trouble | null;
};

/** What a server may do instead of answering. */
export type Trouble = { readonly rcode: string; readonly ede?: string } | { readonly failure: 'timeout' };
export const servfail: Trouble = { rcode: 'SERVFAIL', ede: 'DNSSEC bogus' };
export const timeout: Trouble = { failure: 'timeout' };

export type StubOptions = {
  /** Whether the resolver vouches for answers; names that it does not vouch for. */
  readonly isSigned?: boolean;
  readonly unsigned?: readonly string[];
  readonly delayMs?: number;
  /** Name servers that answer without authority. */
  readonly lame?: readonly string[];
  readonly asked?: string[];
};

/** A DNS probe that answers from a zone literal: aliases, wildcards, empty non-terminals and all. */
export function stubDns(
  zone: ZoneLiteral,
  { isSigned = true, unsigned = [], delayMs, asked = [], lame = [] }: StubOptions = {},
): DnsProbe {
  const records = new Map(Object.entries(zone).filter(([, value]) => value !== null));
  const names = new Set([...records.keys()].map((key) => key.split(' ')[0] ?? ''));
  const isKnowing = (server: string) => !lame.includes(server);
  const exists = (name: string) => [...names].some((known) => known === name || known.endsWith(`.${name}`));

  function resolve(question: DnsQuestion, options: DnsAskOptions): DnsAnswer {
    const chain: DnsRecord[] = [];
    let name = question.name;
    for (let hop = 0; hop < 5; hop += 1) {
      const owner = findOwner(name);
      const key = `${owner} ${question.type}${options.server ? ` @${options.server}` : ''}`;
      // "+cd": what the resolver gives without validation, "+again" the second time, where that differs.
      const way = options.checkingDisabled ? '+cd' : '+again';
      const isOther = options.checkingDisabled === true || (question.type === 'TLSA' && !options.dnssecOk);
      const value = (isOther ? records.get(`${key} ${way}`) : undefined) ?? records.get(key);
      if (isTrouble(value)) return trouble(question, value);
      const alias = records.get(`${owner} CNAME`);
      if (value !== undefined)
        return answer(question, 'NOERROR', [
          ...chain,
          ...listOf(value).map((text) => record(name, question.type, text)),
        ]);
      if (typeof alias !== 'string') return answer(question, owner === null ? 'NXDOMAIN' : 'NOERROR', chain);
      chain.push(record(name, 'CNAME', alias));
      name = alias;
    }
    return answer(question, 'SERVFAIL', []);
  }

  // RFC 4592 §3.3.1: the closest name above that exists decides whether a wildcard answers.
  function findOwner(name: string): string | null {
    if (name === '' || exists(name)) return name;
    const labels = name.split('.');
    const above = labels
      .map((_, index) => labels.slice(index + 1).join('.'))
      .find((parent) => exists(parent));
    return above !== undefined && names.has(`*.${above}`) ? `*.${above}` : null;
  }

  function answer(question: DnsQuestion, rcode: string, answers: DnsRecord[], ede: string[] = []): DnsAnswer {
    const flags = { aa: false, tc: false, ra: true, ad: isSigned && !unsigned.includes(question.name) };
    return dnsReply(question, { rcode, flags, answers, ede: ede.map((text) => ({ code: 6, text })) });
  }

  function trouble(question: DnsQuestion, value: Trouble): DnsAnswer {
    if ('rcode' in value) return answer(question, value.rcode, [], value.ede ? [value.ede] : []);
    return {
      kind: 'failure',
      question,
      code: 'timeout',
      reason: 'no answer within 3 tries',
      server: '192.0.2.53',
    };
  }

  return {
    async ask(question, options = {}) {
      asked.push(`${question.name} ${question.type}${options.server ? ` @${options.server}` : ''}`);
      if (delayMs !== undefined) await sleep(delayMs);
      const given = resolve(question, options);
      // A name server that is asked itself knows its zone.
      return given.kind === 'answer' && options.server !== undefined
        ? { ...given, flags: { ...given.flags, aa: given.rcode !== 'REFUSED' && isKnowing(options.server) } }
        : given;
    },
  };
}

function isTrouble(value: unknown): value is Trouble {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: ZoneLiteral[string] | undefined): readonly (string | readonly string[])[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value : [];
}

function record(name: string, type: string, text: string | readonly string[]): DnsRecord {
  return { name, type, ttl: 300, data: dataOf(type, text) };
}

function dataOf(type: string, text: string | readonly string[]): Json {
  const strings = typeof text === 'string' ? [text] : text;
  if (type === 'TXT' || type === 'SPF') return { strings, text: strings.join('') };
  const [first = '', second = '', third = '', fourth = ''] = strings.join('').split(' ');
  if (type === 'MX') return { preference: Number(first), exchange: second === '.' ? '' : second };
  if (type === 'TLSA')
    return {
      usage: Number(first),
      selector: Number(second),
      matchingType: Number(third),
      certificate: fourth,
    };
  return strings.join('');
}

/** An HTTP probe that gives one answer to everything, or none. */
export function stubHttp(answer: Partial<Extract<HttpAnswer, { kind: 'response' }>> | HttpAnswer): HttpProbe {
  return {
    ask: ({ url }) =>
      Promise.resolve(
        answer.kind === 'failure'
          ? answer
          : {
              kind: 'response',
              url,
              status: 200,
              statusText: 'OK',
              httpVersion: '1.1',
              headers: [['Content-Type', 'text/plain']],
              body: { text: '', wireBytes: 0, decodedBytes: 0 },
              address: '192.0.2.80',
              tls: { protocol: 'TLSv1.3', trusted: true, error: null },
              timings: { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false },
              ...answer,
            },
      ),
  };
}

/** What a web server answers: a response but for these parts, or none. */
export type WebAnswer =
  | Partial<Extract<HttpAnswer, { kind: 'response' }>>
  | Extract<HttpAnswer, { kind: 'failure' }>;

/** An HTTP probe with an answer for each address; to any other one it gives the good logo, the good mark, or the policy. */
export function stubWeb(policy: WebAnswer, web: { readonly [url: string]: WebAnswer } = {}): HttpProbe {
  const usual = (url: string): WebAnswer =>
    url.endsWith('.svg') ? fileOf(goodLogo) : url.endsWith('.pem') ? fileOf(markOf('good')) : policy;
  return { ask: async (request) => stubHttp(web[request.url] ?? usual(request.url)).ask(request) };
}

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/dns-check/mail/${name}`, import.meta.url));

/** A logo with nothing to say against it; it is in the good mark's certificate too. */
export const goodLogo = fixture('logo.svg');

/** A file with a mark certificate and its issuers, made with OpenSSL; nobody has their keys any more, and they end in 2100. */
export function markOf(name: string): Buffer {
  return fixture(`marks/${name}.pem`);
}

/** A file as the probe gives it where bytes were asked for. */
export function fileOf(content: string | Uint8Array): WebAnswer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { body: { text: '', bytes, wireBytes: bytes.length, decodedBytes: bytes.length } };
}

/** The body of a response, as the probe gives it. */
export function bodyOf(text: string) {
  return { text: '', bytes: Buffer.from(text), wireBytes: text.length, decodedBytes: text.length };
}

/** What the mail half is given to look with at good.test, and no options but these. */
export function contextOf(
  dns: DnsProbe,
  http: HttpProbe,
  options: Partial<DnsCheckOptions> = {},
): MailContext {
  return {
    domain: 'good.test',
    options: { dkimSelector: [], ...options },
    ask: (question, how) => dns.ask(question, how),
    probes: { http },
  };
}
