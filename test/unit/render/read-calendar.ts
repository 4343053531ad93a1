export type Component = { readonly name: string; readonly properties: ReadonlyMap<string, string> };

/** Reads a calendar, strictly by the grammar of RFC 5545 §3.1 and §3.4 to §3.6. Throws where a sentence of it is broken. */
export function readCalendar(text: string): readonly Component[] {
  if (!text.endsWith('\r\n')) throw new Error('the last line has no end');
  const folded = text.slice(0, -2).split('\r\n');
  for (const line of folded) {
    if (/[\r\n]/.test(line)) throw new Error('a line has an end that is none');
    if (Buffer.byteLength(line) > 75) throw new Error(`a line of ${Buffer.byteLength(line)} octets`);
    if (line.includes('\ufffd')) throw new Error('a character was cut');
  }
  const found: Component[] = [];
  const open: { name: string; properties: Map<string, string> }[] = [];
  for (const line of folded.join('\r\n').replaceAll('\r\n ', '').split('\r\n')) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no content line: ${line}`);
    if (name === 'BEGIN') open.push({ name: value, properties: new Map() });
    else if (name === 'END') {
      const ended = open.pop();
      if (ended?.name !== value) throw new Error(`${value} ends where it did not begin`);
      found.push(ended);
    } else open.at(-1)?.properties.set(name, unescape(value));
  }
  judge(found, open.length);
  return found;
}

// Every event needs these once; a calendar needs a component (§3.6, §3.6.1).
function judge(found: readonly Component[], left: number): void {
  const calendar = found.at(-1);
  if (left > 0 || calendar?.name !== 'VCALENDAR') throw new Error('the calendar has no end');
  for (const name of ['VERSION', 'PRODID']) if (!calendar.properties.has(name)) throw new Error(`no ${name}`);
  if (found.length < 2) throw new Error('a calendar without a component');
  for (const { name, properties } of found.filter((one) => one.name === 'VEVENT'))
    for (const wanted of ['UID', 'DTSTAMP', 'DTSTART'])
      if (!properties.has(wanted)) throw new Error(`${name} without ${wanted}`);
}

function unescape(value: string): string {
  if (/(?<!\\)(?:\\\\)*[;,]/.test(value.replaceAll('\\\\', ''))) throw new Error(`not escaped: ${value}`);
  return value.replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}
