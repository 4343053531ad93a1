import { createSocket, type RemoteInfo } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import { readConfig } from '#shared/settings/config';
import type { DnsProbe } from '../../../worker/probes/dns/port.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';

/** A record as the public suites of SPF write it, or that the name does not answer. */
export type Entry = 'TIMEOUT' | { readonly [type: string]: string | readonly (string | number)[] };

/** Names with their records, in the form of those suites. */
export type Zonedata = { readonly [name: string]: readonly Entry[] };

type Pair = { readonly type: string; readonly value: string | readonly (string | number)[] };

/** Serves such data on loopback and opens the probe of the product on it, so that every question crosses the wire. */
export async function openZonedata(zonedata: Zonedata): Promise<{ dns: DnsProbe; close: () => void }> {
  const names = new Map(Object.entries(zonedata).map(([name, entries]) => [name.toLowerCase(), entries]));
  const reply = (bytes: Buffer, isTcp: boolean) => answerTo(names, decode(bytes), isTcp);
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const answer = reply(bytes.subarray(2), true);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (bytes: Buffer, from: RemoteInfo) =>
    udp.send(reply(bytes, false), from.port, from.address),
  );
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  const probes = prepareProbesOf(readConfig({ DNS_SERVERS: `127.0.0.1:${port}` }));
  const opened = probes.open(new AbortController().signal);
  return {
    dns: opened.dns,
    close: () => {
      opened.close();
      probes.close();
      udp.close();
      tcp.close();
    },
  };
}

/** What an answer by UDP may have without EDNS. */
const udpLimit = 1232;

function answerTo(names: ReadonlyMap<string, readonly Entry[]>, query: Packet, isTcp: boolean): Buffer {
  const [question] = query.questions ?? [];
  const name = question?.name.toLowerCase() ?? '';
  const type: string = question?.type ?? 'A';
  const own = pairsOf(names.get(name) ?? []);
  const alias = own.find((pair) => pair.type === 'CNAME')?.value;
  const target = typeof alias === 'string' ? alias.toLowerCase() : '';
  const answers = [
    ...own.filter((pair) => pair.type === type || pair.type === 'CNAME').map((pair) => toAnswer(name, pair)),
    ...(target === '' || type === 'CNAME' ? [] : pairsOf(names.get(target) ?? []))
      .filter((pair) => pair.type === type)
      .map((pair) => toAnswer(target, pair)),
  ];
  const isLost = names.get(name)?.includes('TIMEOUT') === true && !answers.some((one) => one.type === type);
  const rcode = isLost ? 2 : isThere(names, name) ? 0 : 3;
  const message = { type: 'response', id: query.id ?? 0, questions: query.questions ?? [] } as const;
  const whole = encode({ ...message, flags: 0x0180 | rcode, answers: isLost ? [] : answers });
  return isTcp || whole.length <= udpLimit ? whole : encode({ ...message, flags: 0x0380 });
}

function isThere(names: ReadonlyMap<string, unknown>, name: string): boolean {
  return [...names.keys()].some((owner) => owner === name || owner.endsWith(`.${name}`));
}

// An SPF record stands for a TXT record, unless there are TXT records; "NONE" is none at all.
function pairsOf(entries: readonly Entry[]): Pair[] {
  const pairs = entries.flatMap((entry): Pair[] =>
    entry === 'TIMEOUT' ? [] : Object.entries(entry).map(([type, value]) => ({ type, value })),
  );
  const hasTxt = pairs.some(({ type }) => type === 'TXT');
  return pairs
    .map(({ type, value }) => ({ type: type === 'SPF' && !hasTxt ? 'TXT' : type, value }))
    .filter(({ type, value }) => value !== 'NONE' && type !== 'SPF');
}

function toAnswer(name: string, { type, value }: Pair): Answer {
  const texts = typeof value === 'string' ? [value] : value.map(String);
  const data =
    type === 'MX'
      ? { preference: Number(texts[0]), exchange: texts[1] ?? '' }
      : type === 'TXT'
        ? texts.flatMap(chunksOf)
        : (texts[0] ?? '');
  return { name, type, ttl: 60, data } as unknown as Answer;
}

// A string of a TXT record has 255 octets at most (RFC 1035 §3.3).
function chunksOf(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'utf8');
  const count = Math.max(1, Math.ceil(bytes.length / 255));
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * 255, (at + 1) * 255));
}
