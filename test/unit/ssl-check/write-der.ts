import { joinBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';

/** A DER value of contents already written. */
export function der(tag: number, ...contents: (Uint8Array | readonly number[])[]): Uint8Array {
  const content = joinBytes(...contents);
  const digits: number[] = [];
  for (let rest = content.length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  const length = content.length < 0x80 ? [content.length] : [0x80 + digits.length, ...digits];
  return joinBytes(tag, length, content);
}

export const sequence = (...contents: Uint8Array[]) => der(0x30, ...contents);
export const integer = (...bytes: number[]) => der(0x02, bytes);
export const text = (tag: number, value: string) => der(tag, [...Buffer.from(value, 'latin1')]);
export const time = (iso: string) => text(0x18, `${iso.slice(0, 19).replace(/[-T:]/g, '')}Z`);

/** An object identifier from its dotted form. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const base128 = (arc: number): number[] =>
    arc < 128 ? [arc] : [...base128(Math.floor(arc / 128)).map((byte) => byte | 0x80), arc % 128];
  return der(0x06, [first * 40 + second, ...others].flatMap(base128));
}

/** A certificate with no more in it than the fields that are read. */
export function writeCertificate(
  extensions: { id: string; value: Uint8Array }[],
  serial = [1],
  algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2')),
): Uint8Array {
  const list = sequence(
    ...extensions.map(({ id, value }) => sequence(objectIdentifier(id), der(0x04, value))),
  );
  const body = sequence(
    der(0xa0, integer(2)),
    integer(...serial),
    algorithm,
    sequence(),
    sequence(time('2026-01-01T00:00:00'), time('2027-01-01T00:00:00')),
    sequence(),
    sequence(),
    der(0xa3, list),
  );
  return sequence(body, algorithm, der(0x03, [0]));
}

/** What follows a signed value: the algorithm, the signature, perhaps more. */
export type Seal = (signed: Uint8Array) => readonly Uint8Array[];
/** Puts nothing but the forms there. */
export const unsealed: Seal = () => [sequence(), der(0x03, [0])];

/** An OCSP response about certificates. */
export function writeOcspResponse(
  statuses: { serial: number[]; status: Uint8Array; thisUpdate: string; nextUpdate?: string }[],
  seal = unsealed,
): Uint8Array {
  const singles = statuses.map(({ serial, status, thisUpdate, nextUpdate }) =>
    sequence(
      sequence(sequence(), der(0x04, []), der(0x04, []), integer(...serial)),
      status,
      time(thisUpdate),
      ...(nextUpdate === undefined ? [] : [der(0xa0, time(nextUpdate))]),
    ),
  );
  const signed = sequence(der(0xa2, der(0x04, [7])), time('2026-11-20T00:00:00'), sequence(...singles));
  const basic = sequence(signed, ...seal(signed));
  return sequence(
    der(0x0a, [0]),
    der(0xa0, sequence(objectIdentifier('1.3.6.1.5.5.7.48.1.1'), der(0x04, basic))),
  );
}
