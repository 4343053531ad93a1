import { randomBytes } from 'node:crypto';
import { recordTypes } from '../../kit/record-types.ts';
import { makeCostlyKey } from './costly-keys.ts';
import {
  type Asked,
  type HostileZone,
  type Reply,
  serverAddresses,
  type WireRecord,
  wireName,
  wireRecord,
  words,
} from './dns-servers.ts';

/** As many octets of records as a message of 64 kB has room for beside its header and question. */
const roomBytes = 65_200;

/** A zone that is delegated as it should be, to 13 names with two addresses each, and answers the rest in its own way. */
function delegated(zone: string, answer: HostileZone): HostileZone {
  return (asked) => delegate(zone, asked) ?? answer(asked);
}

function delegate(zone: string, { name, type }: Asked): Reply | undefined {
  const [, number] = /^ns(\d+)\./.exec(name) ?? [];
  if (number !== undefined) {
    const addresses = serverAddresses.slice(2 * Number(number), 2 * Number(number) + 2);
    return { records: type === recordTypes.A ? addresses.map((address) => addressRecord(address)) : [] };
  }
  if (name !== zone || type !== recordTypes.NS) return undefined;
  return {
    records: Array.from({ length: 13 }, (_, at) => ({ type, data: wireName(`ns${at}.${zone}`) })),
  };
}

function addressRecord(address: string): WireRecord {
  return { type: recordTypes.A, data: Buffer.from(address.split('.').map(Number)) };
}

/** As many records as one message holds, and at most 500, which is what is read of one. */
function flood(make: (at: number) => WireRecord): Reply {
  const records: WireRecord[] = [];
  let left = roomBytes;
  for (let at = 0; at < 500; at += 1) {
    const record = make(at);
    left -= wireRecord(record).length;
    if (left < 0) break;
    records.push(record);
  }
  return { records };
}

/** Text in strings of 255 octets, as TXT has it. */
function strings(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const pieces = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, at) =>
    bytes.subarray(at * 255, (at + 1) * 255),
  );
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.from([piece.length]), piece]));
}

const text = (value: string): Reply => ({ records: [{ type: recordTypes.TXT, data: strings(value) }] });

/** How each record that is read as text begins, by the name that it stands at. */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^_dmarc\./, 'v=DMARC1; p=none; rua='],
  [/_domainkey\./, 'v=DKIM1; k=rsa; p='],
  [/^_mta-sts\./, 'v=STSv1; id='],
  [/^_smtp\._tls\./, 'v=TLSRPTv1; rua='],
  [/_bimi\./, 'v=BIMI1; l='],
];

function beginningOf(name: string): string {
  return beginnings.find(([pattern]) => pattern.test(name))?.[1] ?? 'v=spf1 ';
}

/** 60 kB of the same piece in every record of text. */
const filledWith =
  (piece: string): HostileZone =>
  ({ name, type }) =>
    type === recordTypes.TXT
      ? text(`${beginningOf(name)}${piece.repeat(Math.floor(60_000 / piece.length))}`)
      : { records: [] };

/** A chain of 126 pointers before every name, in as many records as are read. */
const pointers: HostileZone = ({ name }) => {
  // Behind the question lies one record whose data are pointers, each to the one before, the first to the question.
  const start = 12 + wireName(name).length + 4 + 12;
  const chain = words(
    ...Array.from({ length: 8000 }, (_, at) => 0xc000 | (at === 0 ? 12 : start + 2 * (at - 1))),
  );
  const first = wireRecord({ type: recordTypes.TXT, data: chain });
  const owner = (at: number) => words(0xc000 | (start + 2 * (125 + (at % 7800))));
  const others = Array.from({ length: 499 }, (_, at) =>
    wireRecord({ owner: owner(at), type: recordTypes.MX, data: Buffer.concat([words(1), owner(at + 1)]) }),
  );
  return { behind: Buffer.concat([first, ...others]), count: 500 };
};

const longName = wireName(Array.from({ length: 4 }, () => '\0'.repeat(61)).join('.'));

/** 12 kB that unfold to a megabyte: every record has three pointers to one name of 255 octets. */
const unfolding: HostileZone = ({ name }) => {
  const owner = words(0xc000 | (12 + wireName(name).length + 4));
  const data = Buffer.concat([owner, owner, Buffer.alloc(20)]);
  const others = Array.from({ length: 499 }, () => wireRecord({ owner, type: recordTypes.SOA, data }));
  const first = wireRecord({ owner: longName, type: recordTypes.SOA, data });
  return { behind: Buffer.concat([first, ...others]), count: 500 };
};

/** Plausible data of each type, another one for each record. */
const dataOf: { readonly [type: number]: (at: number) => Buffer } = {
  [recordTypes.A]: (at) => Buffer.concat([Buffer.from([198, 18]), words(at)]),
  [recordTypes.AAAA]: (at) => Buffer.concat([words(0x2001, 0xdb8, 0, 0, 0, 0, 0, at)]),
  [recordTypes.MX]: (at) => Buffer.concat([words(at), wireName(`m${at}.victim${at}.com`)]),
  [recordTypes.NS]: (at) => wireName(`n${at}.victim${at}.com`),
  [recordTypes.TXT]: (at) => strings(`v=spf1 include:s${at}.victim.com -all`),
  [recordTypes.CAA]: (at) => Buffer.concat([Buffer.from([0, 5]), Buffer.from(`issueca${at}.test; a=${at}`)]),
  [recordTypes.SOA]: () => Buffer.concat([longName, longName, words(0, 1, 0, 2, 0, 3, 0, 4, 0, 5)]),
  [recordTypes.DS]: (at) => Buffer.concat([words(at), Buffer.from([13, 2]), randomBytes(32)]),
  [recordTypes.TLSA]: () => Buffer.concat([Buffer.from([3, 1, 1]), randomBytes(32)]),
  [recordTypes.HTTPS]: (at) =>
    Buffer.concat([words(at + 1), wireName(`h${at}.victim.com`), words(4, 4, at, at)]),
};

const thousands: HostileZone = ({ type }) => {
  const make = dataOf[type];
  return make ? flood((at) => ({ type, data: make(at) })) : { records: [] };
};

/** 64 kB keys of 4,096 bits, all of one key tag, and as many signatures that name it (CVE-2023-50387). */
function keyTrap(zone: string): HostileZone {
  const { n = '' } = makeCostlyKey(4096, 64).export({ format: 'jwk' });
  const modulus = Buffer.from(n, 'base64url');
  const keyData = (at: number) => {
    const turned = Buffer.from(modulus);
    // Words that change places leave the key tag as it is.
    const [from, to] = [2 * (at + 4), 2 * (at + 5)];
    modulus.copy(turned, from, to, to + 2);
    modulus.copy(turned, to, from, from + 2);
    const exponent = Buffer.from('40000000000001'.padStart(16, '7f'), 'hex');
    return Buffer.concat([words(257), Buffer.from([3, 8, exponent.length]), exponent, turned]);
  };
  const tag = keyTag(keyData(0));
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  const times = Buffer.alloc(8);
  times.writeUInt32BE(hour + 864_000, 0);
  times.writeUInt32BE(hour - 864_000, 4);
  const signature = (type: number) =>
    Buffer.concat([
      words(type),
      Buffer.from([8, 2]),
      words(0, 60),
      times,
      words(tag),
      wireName(zone),
      Buffer.alloc(1),
      randomBytes(511),
    ]);
  return ({ type }) => {
    if (type === recordTypes.DNSKEY)
      return flood((at) =>
        at % 2 === 0 ? { type, data: keyData(at / 2) } : { type: recordTypes.RRSIG, data: signature(type) },
      );
    if (type === recordTypes.DS)
      return flood((at) => ({
        type,
        data: Buffer.concat([words(tag), Buffer.from([8, 2]), words(at), randomBytes(30)]),
      }));
    const make = dataOf[type];
    if (!make || type === recordTypes.MX) return { records: [] };
    return flood((at) =>
      at < 20 ? { type, data: make(at) } : { type: recordTypes.RRSIG, data: signature(type) },
    );
  };
}

function keyTag(data: Buffer): number {
  let sum = 0;
  for (const [at, byte] of data.entries()) sum += at % 2 === 0 ? byte << 8 : byte;
  return (sum + (sum >> 16)) & 0xffff;
}

/** Denials with the most rounds of hashing and the longest salt that the format has room for. */
function slowHashes(zone: string): HostileZone {
  const parameters = Buffer.concat([
    Buffer.from([1, 0]),
    words(0xffff),
    Buffer.from([255]),
    randomBytes(255),
  ]);
  return ({ type }) => {
    if (type === recordTypes.NSEC3PARAM) return { records: [{ type, data: parameters }] };
    const denials = Array.from({ length: 120 }, (_, at) => ({
      owner: wireName(`${String(at).padStart(32, '0')}.${zone}`),
      type: recordTypes.NSEC3,
      data: Buffer.concat([parameters, Buffer.from([20]), randomBytes(20), Buffer.from([0, 1, 0x62])]),
    }));
    return { records: [], authority: denials, rcode: type === recordTypes.A ? 3 : 0 };
  };
}

let alias = 0;
const aliases =
  (zone: string): HostileZone =>
  () => ({ records: [{ type: recordTypes.CNAME, data: wireName(`a${(alias += 1)}.${zone}`) }] });
const circle =
  (zone: string): HostileZone =>
  () => ({
    records: Array.from({ length: 1000 }, (_, at) => ({
      owner: wireName(`c${at}.${zone}`),
      type: recordTypes.CNAME,
      data: wireName(`c${(at + 1) % 1000}.${zone}`),
    })),
  });

/** Every include names twenty more, and one record has as many terms as fit. */
function includes(zone: string): HostileZone {
  return ({ name, type }) => {
    if (type !== recordTypes.TXT) return { records: [] };
    const label = name === zone ? '' : (name.split('.')[0] ?? '');
    const terms = Array.from(
      { length: label.length > 8 ? 2000 : 20 },
      (_, at) => `include:${label}${at.toString(36)}.${zone} exists:%{i}.${at}.${zone}`,
    );
    return text(`v=spf1 ${terms.join(' ')} -all`.slice(0, 62_000));
  };
}

/** One record of 64 kB with parameters of every kind. */
const parameters: HostileZone = ({ type }) => {
  if (type !== recordTypes.HTTPS) return { records: [] };
  const value = (key: number, bytes: Buffer) => Buffer.concat([words(key, bytes.length), bytes]);
  const data = Buffer.concat([
    words(1),
    Buffer.alloc(1),
    value(0, words(...Array.from({ length: 4000 }, (_, at) => at + 1))),
    value(1, Buffer.concat(Array.from({ length: 5000 }, () => Buffer.from('\x01h', 'latin1')))),
    value(4, randomBytes(20_000)),
    value(6, randomBytes(16_000)),
    value(7, Buffer.from('/{'.repeat(4000))),
  ]);
  return { records: [{ type, data }] };
};

const fillers = [
  ' ',
  ';',
  ',',
  '(',
  '%{',
  '\\',
  '=',
  'a:',
  'include:a ',
  'mailto:a@b.test,',
  'AAAA',
  '"',
  'exp=%{d} ',
];

/** 60 kB in answer to every question: what a run may read in all is bounded, not only each answer. */
const heavy: HostileZone = ({ name, type }) =>
  type === recordTypes.TXT
    ? text(`${beginningOf(name)}${'x'.repeat(60_000)}`)
    : { records: [{ type, data: randomBytes(60_000) }] };

/** The zones that mean ill, by domain. */
export const hostileZones: { readonly [domain: string]: HostileZone } = {
  'pointers.test': delegated('pointers.test', pointers),
  'unfolding.test': delegated('unfolding.test', unfolding),
  'thousands.test': delegated('thousands.test', thousands),
  'trap.test': delegated('trap.test', keyTrap('trap.test')),
  'hashes.test': delegated('hashes.test', slowHashes('hashes.test')),
  'aliases.test': delegated('aliases.test', aliases('aliases.test')),
  'circle.test': delegated('circle.test', circle('circle.test')),
  'includes.test': delegated('includes.test', includes('includes.test')),
  'heavy.test': delegated('heavy.test', heavy),
  'parameters.test': delegated('parameters.test', parameters),
  'slow.test': delegated('slow.test', () => 'drip'),
  'cut.test': delegated('cut.test', () => 'cut'),
  'quiet.test': delegated('quiet.test', () => 'silent'),
  'names.test': thousands,
  ...Object.fromEntries(
    fillers.map((piece, at) => [`fill${at}.test`, delegated(`fill${at}.test`, filledWith(piece))]),
  ),
};
