import { lengthOf } from './ascii.ts';
import { clip, type Faulty } from './fault.ts';
import { parseVersioned } from './parse-versioned.ts';

/** An MTA-STS record (RFC 8461 §3.1). */
export type StsRecord = { readonly id: string };

/** Reads "v=STSv1; id=20160831085700Z;". Of repeated fields the first counts. */
export function parseStsRecord(text: string): StsRecord | Faulty {
  const read = parseVersioned(text, 'STSv1');
  if ('faults' in read) return read;
  const id = read.fields.find(({ name }) => name === 'id');
  if (!id) return { faults: [{ at: text.length, term: '', problem: 'the field id is missing' }] };
  const odd = read.fields.find(({ name, value }) => name !== 'id' && value.includes('='));
  if (odd) return { faults: [{ at: odd.valueAt, term: odd.name, problem: 'a value has no equals sign' }] };
  const end = lengthOf(/^[a-z0-9]+/i, id.value);
  if (end === id.value.length && end <= 32) return { id: id.value };
  const problem = `"${clip(id.value, 40)}" is not an id, which is 1 to 32 letters and digits`;
  return { faults: [{ at: id.valueAt + Math.min(end, 32), term: 'id', problem }] };
}
