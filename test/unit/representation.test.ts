import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fromRow, toRow } from '#shared/stores/reports/row';
import { represent, representStored } from '../../api/answer/representation.ts';
import { reportOf } from '../contract/report-store.contract.ts';

const report = reportOf({ note: 'snow ☃ '.repeat(500) });
const { row, json } = toRow(report, { reportId: report.reportId, jobId: 'job', jobKey: 'key' });
const plain = represent(json, 'application/json; charset=utf-8');

/** A representation of the stored row, and the sizes of what it told to have made. */
function openStored() {
  const grown: number[] = [];
  return { stored: representStored(fromRow(row), (bytes) => grown.push(bytes)), grown };
}

test('a stored report is sent under gzip as it is stored, and nothing is made for it', async () => {
  const { stored, grown } = openStored();
  const sent = await stored.bytes('gzip');
  expect(Buffer.from(sent).equals(row.body)).toBe(true);
  expect(gunzipSync(sent).equals(json)).toBe(true);
  expect(stored.latin1('identity')).toBeUndefined();
  expect(grown).toEqual([]);
});

test('a stored report has the tags, the type and the size of its JSON, and unpacks to it once', async () => {
  const { stored, grown } = openStored();
  expect([stored.etags, stored.contentType, stored.sizeBytes]).toEqual([
    plain.etags,
    plain.contentType,
    plain.sizeBytes,
  ]);
  expect((await stored.bytes('identity')).equals(json)).toBe(true);
  expect(stored.identity()).toBe(await stored.bytes('identity'));
  expect(grown).toEqual([json.byteLength]);
});
