import type { InputError } from '#shared/model/problem';
import type { BodyBounds } from './body-bounds.ts';
import { faultAt } from './faults.ts';
import { endsLine, isBlank } from './lines.ts';

/** Counts a body piece by piece, each byte once. Gives what is beyond the bounds, as soon as it is. */
export type BodyCounter = (piece: Uint8Array) => InputError | undefined;

/** Opens the counter of a body. @param type its media type, one of those of the bounds */
export function openBodyCounter(type: string, bounds: BodyBounds): BodyCounter {
  if (type === 'text/plain') return openLineCounter(bounds);
  if (type === 'application/x-ndjson') {
    const [lines, json] = [openLineCounter(bounds), openJsonCounter(bounds, true)];
    return (piece) => lines(piece) ?? json(piece);
  }
  return type.endsWith('json') ? openJsonCounter(bounds, false) : () => undefined;
}

/** Counts lines that hold something. */
function openLineCounter({ lines }: BodyBounds): BodyCounter {
  let count = 0;
  let isEmpty = true;
  return (piece) => {
    for (const byte of piece) {
      if (endsLine(byte)) isEmpty = true;
      else if (isEmpty && !isBlank(byte)) {
        isEmpty = false;
        count += 1;
        if (count > lines) return faultAt(['targets'], `Give at most ${lines} targets.`);
      }
    }
    return undefined;
  };
}

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d,
];
const opens = (byte: number) => byte === openList || byte === openObject;
const closes = (byte: number) => byte === closeList || byte === closeObject;
const separates = (byte: number) => byte === comma || byte === colon;

/**
 * Counts levels and values of JSON, whether it is valid or not: what is outside of texts decides. A fault names the field that has too much.
 * @param isLines each line is a text of JSON of its own
 */
function openJsonCounter({ depth, nodes }: BodyBounds, isLines: boolean): BodyCounter {
  const place = openPlace();
  let count = 0;
  let isText = false;
  let isEscaped = false;
  const takeOfText = (byte: number) => {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) isText = false;
    if (isText) place.spell(byte);
  };
  const take = (byte: number): InputError | undefined => {
    if (byte === quote) {
      isText = true;
      place.beginText();
    } else if (opens(byte)) {
      if (place.depth() === depth)
        return faultAt(place.path(), `Nest lists and objects ${depth} levels deep at most.`);
      place.enter(byte === openList);
      count += 1;
    } else if (closes(byte)) place.leave();
    else if (separates(byte)) {
      place.goOn(byte === comma);
      count += 1;
    }
    return count > nodes ? faultAt(place.container(), `This has more than ${nodes} values.`) : undefined;
  };
  return (piece) => {
    for (const byte of piece) {
      if (isLines && endsLine(byte)) {
        place.clear();
        isText = isEscaped = false;
      } else if (isText) takeOfText(byte);
      else {
        const fault = take(byte);
        if (fault) return fault;
      }
    }
    return undefined;
  };
}

/** Of a name, so much is reported. */
const longestName = 60;

type Level = { readonly isList: boolean; at: number; name: string };

/** Where in JSON the counter is: the names and indexes that lead there. Holds no more levels than the bounds allow. */
function openPlace() {
  const levels: Level[] = [];
  let isName = false;
  const steps = (list: readonly Level[]) => list.map(({ isList, at, name }) => (isList ? at : name));
  return {
    depth: () => levels.length,
    path: () => steps(levels),
    container: () => steps(levels.slice(0, -1)),
    enter(isList: boolean) {
      levels.push({ isList, at: 0, name: '' });
      isName = !isList;
    },
    leave() {
      levels.pop();
      isName = false;
    },
    /** A value has ended, or a name. */
    goOn(isNextValue: boolean) {
      const last = levels.at(-1);
      if (!last) return;
      if (isNextValue) last.at += 1;
      isName = isNextValue && !last.isList;
    },
    beginText() {
      const last = levels.at(-1);
      if (last && isName) last.name = '';
    },
    spell(byte: number) {
      const last = levels.at(-1);
      if (last && isName && last.name.length < longestName) last.name += String.fromCharCode(byte);
    },
    clear() {
      levels.length = 0;
      isName = false;
    },
  };
}
