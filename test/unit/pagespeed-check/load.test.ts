import { expect, test } from 'vitest';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { filmstripOf } from '../../../worker/checks/pagespeed-check/report/fields.ts';
import type { LoadObservation } from '../../../worker/probes/browser/port.ts';
import { load, seen } from './evidence-kit.ts';
import { jpeg, png } from './pictures.ts';
import { psiBody, psiResult, seenByPsi } from './psi-kit.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const picture = base64(jpeg(120, 240));

/** A page that loaded so. */
const loaded = (page: LoadObservation) =>
  seen(load({ page: { finalUrl: 'https://www.a.test/', ...page } as object }));
const fieldsOf = (page: LoadObservation) => assessPagespeed(loaded(page)).fields;

test('evidence of an older version has fifty requests, and what it did not see is left open', () => {
  const request = { url: 'https://a.test/x.js', type: 'Script', startMs: 1, endMs: 9, bytes: 3, status: 200 };
  const older = { requests: { total: 70, first: [request] } };
  const { requests } = fieldsOf(older as unknown as LoadObservation);
  expect(requests).toMatchObject({ total: 70, entries: [{ ...request, owner: null, timings: null }] });
  expect(requests).not.toHaveProperty('bytes');
});

test('a page without this evidence has neither pictures nor requests', () => {
  expect(fieldsOf({})).toMatchObject({ filmstrip: [], requests: null });
  expect(filmstripOf(loaded({}))).toBeUndefined();
});

test('pictures are kept in order, without those that show nothing new', () => {
  const other = base64(jpeg(120, 241));
  const evidence = loaded({
    frames: [
      { atMs: 300, jpeg: picture },
      { atMs: 600, jpeg: picture },
      { atMs: 900, jpeg: other },
    ],
  });
  expect(assessPagespeed(evidence).fields.filmstrip).toEqual([
    { atMs: 300, width: 120, height: 240 },
    { atMs: 900, width: 120, height: 241 },
  ]);
  const kept: unknown = JSON.parse(Buffer.from(filmstripOf(evidence)?.bytes ?? []).toString());
  expect(kept).toMatchObject([{ jpeg: picture }, { jpeg: other }]);
});

const refused = [
  { name: 'what is no picture', jpeg: base64(Buffer.from('<svg onload=alert(1)>')) },
  { name: 'a picture of another kind', jpeg: base64(png(10, 10)) },
  { name: 'a picture that would unpack to gigabytes', jpeg: base64(jpeg(60_000, 60_000)) },
  { name: 'nothing', jpeg: '' },
];
test.for(refused)('$name is not kept', ({ jpeg: text }) => {
  expect(fieldsOf({ frames: [{ atMs: 1, jpeg: text }] }).filmstrip).toEqual([]);
});

/** An answer of PageSpeed Insights with one more audit. */
function answerWith(id: string, items: unknown) {
  const { audits } = psiBody()['lighthouseResult'] as { readonly audits: object };
  return assessPagespeed(seenByPsi(psiResult({ audits: { ...audits, [id]: { details: { items } } } })))
    .fields;
}

test('PageSpeed Insights tells requests and pictures too', () => {
  const row = {
    url: 'https://cdn.example/a.js',
    resourceType: 'Script',
    networkRequestTime: 12.4,
    networkEndTime: 30.6,
    transferSize: 512,
    statusCode: 200,
    entity: 'Example Ads',
  };
  expect(
    answerWith('network-requests', [row, { ...row, url: 'data:text/plain,x', networkRequestTime: 20 }])
      .requests,
  ).toEqual({
    total: 2,
    overNetwork: 1,
    bytes: 512,
    thirdPartyBytes: 512,
    entries: [
      expect.objectContaining({ url: 'https://cdn.example/a.js', isThirdParty: true, owner: 'Example Ads' }),
      expect.objectContaining({ url: 'data:text/plain;length=17', isThirdParty: false }),
    ],
  });
  const frame = { timing: 300.4, timestamp: 1, data: `data:image/jpeg;base64,${picture}` };
  expect(answerWith('screenshot-thumbnails', [frame]).filmstrip).toEqual([
    { atMs: 300, width: 120, height: 240 },
  ]);
});

test('of thousands of requests the first 500 are kept, by their start', () => {
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    url: `https://a.test/${index}`,
    networkRequestTime: 3000 - index,
    networkEndTime: 4000,
  }));
  const { requests } = answerWith('network-requests', rows);
  const entries = requests?.entries ?? [];
  expect([requests?.total, entries.length, entries[0]?.startMs]).toEqual([3000, 500, 1001]);
});

test.for([
  [null],
  ['x'],
  [{}],
  [{ networkRequestTime: 'soon', networkEndTime: Infinity, url: 'https://a.test/' }],
])('rows of another shape are left out: %j', (row) => {
  expect(answerWith('network-requests', [row]).requests).toBeNull();
  expect(answerWith('screenshot-thumbnails', [row]).filmstrip).toEqual([]);
});
