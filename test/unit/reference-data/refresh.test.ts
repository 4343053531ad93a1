import { expect, test } from 'vitest';
import { listBuiltInRoots } from '../../../worker/certificates/trust/store.ts';
import { operators } from '../../../worker/checks/ssl-check/grammar/listed-logs.ts';
import { beforePoint } from '../../../worker/checks/ssl-check/grammar/transparency-logs.ts';
import { writeCtLogs } from '../../../worker/refresh/ct-logs.ts';
import { readQuotedCsv, writeRootStores } from '../../../worker/refresh/root-stores.ts';

const point = 'A'.repeat(88);
const log = (name: string, kind: string, more: object = {}) => ({
  description: `Example '${name}' log`,
  key: beforePoint + point,
  state: { [kind]: { timestamp: '2026-05-01T00:00:00Z' } },
  ...more,
});
const list = (...logs: object[]) =>
  JSON.stringify({
    log_list_timestamp: '2026-11-20T12:00:00Z',
    operators: [
      { name: 'Example', logs, tiled_logs: [log('tiled', 'usable')] },
      { name: 'Nobody', logs: [] },
    ],
  });
const valueIn = (text: string): unknown => JSON.parse(text.slice(text.lastIndexOf('= {') + 2, -2));

test('logs whose timestamps count are written, by operator', () => {
  const text = writeCtLogs(
    list(
      log('used', 'usable'),
      log('ended', 'retired'),
      log('long ago', 'retired', { state: { retired: { timestamp: '2020-01-01T00:00:00Z' } } }),
      log('not yet', 'pending'),
      log('refused', 'rejected'),
      log('trial', 'usable', { log_type: 'test' }),
      log('RSA', 'usable', { key: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A' }),
    ),
  );
  expect(text).toContain("logsListedOn = '2026-11-20'");
  expect(valueIn(text)).toEqual({
    Example: [
      ['used', point],
      ['ended', point, '2026-05-01T00:00:00Z'],
      ['tiled', point],
    ],
  });
  expect(Object.keys(operators).length).toBeGreaterThan(5);
});

test.for(['{}', '[]', '{"log_list_timestamp":"2026-11-20T12:00:00Z","operators":[]}'])(
  'what is no list of logs is refused: %s',
  (text) => {
    expect(() => writeCtLogs(text)).toThrow(/ogs|no log|expected/);
  },
);

const names = ['Certificate Record Type', 'SHA-256 Fingerprint', 'Status of Root Cert', 'Note'];
const csv = (rows: readonly (readonly string[])[]) =>
  [names, ...rows].map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')).join('\n');
const own = listBuiltInRoots().map((sha256) => sha256.toUpperCase());

test('roots of this Node are written by the stores that include them', () => {
  const rows = own.map((root, at) => [
    'Root Certificate',
    root,
    at === 0
      ? 'Apple: Included; Google Chrome: Included; Microsoft: Disabled; Mozilla: Included'
      : 'Apple: Included; Google Chrome: Included; Microsoft: Included; Mozilla: Included',
    'a "note",\nof two lines',
  ]);
  const text = writeRootStores(
    csv([...rows, ['Intermediate Certificate', own[1] ?? '', '', '']]),
    '2026-11-20',
  );
  expect(text).toContain("rootsListedOn = '2026-11-20'");
  const value = valueIn(text) as Record<string, string[]>;
  expect(value['Apple Chrome']).toEqual([own[0]?.slice(0, 16).toLowerCase()]);
  expect(value['Apple Chrome Microsoft']?.join(' ').split(' ')).toHaveLength(own.length - 1);
});

test('an export without most roots is refused', () => {
  expect(() => writeRootStores(csv([['Root Certificate', own[0] ?? '', '', '']]), '2026-11-20')).toThrow(
    /are not in this export/,
  );
});

test('quoted CSV keeps commas, quotes and line ends in fields; other CSV is refused', () => {
  const [row] = readQuotedCsv('"a","b"\r\n"1,""2""","3\n4"\r\n');
  expect(Object.fromEntries(row ?? [])).toEqual({ a: '1,"2"', b: '3\n4' });
  expect(() => readQuotedCsv('a,b\n1,2')).toThrow(/character 0/);
});
