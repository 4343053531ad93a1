import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { makeReport, type Report } from '#shared/model/report';
import { renderHar } from '#shared/render/har';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import type { RequestObservation } from '../../../worker/probes/browser/port.ts';
import { load, requestSeen, requestsSeen, seen } from '../pagespeed-check/evidence-kit.ts';

type Log = {
  readonly log: {
    readonly entries: readonly { readonly [field: string]: unknown }[];
    readonly comment?: string;
  };
};

/** The published schemas of HAR 1.2, one file for each part; they refer to each other by their `$id`. */
const folder = join(dirname(createRequire(import.meta.url).resolve('har-schema/package.json')), 'lib');
const ajv = new Ajv({ strict: false, validateFormats: false });
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    $schema?: string;
  };
  ajv.addSchema(schema);
}
const isHar = ajv.getSchema('har.json#') ?? ajv.getSchema('har.json');

function reportWith(entries: readonly RequestObservation[]): Report {
  const evidence = seen(load({ page: { requests: requestsSeen(entries) } }));
  return makeReport(
    {
      check: 'pagespeed-check',
      target: { url: 'http://a.test/' },
      rules: pagespeedCheck.rules,
      rulesVersion: 1,
      reportId: undefined,
      checkedAtMs: 60_000,
      durationMs: 10_000,
      freshForS: 1,
      keepForS: 1,
    },
    assessPagespeed(evidence),
  );
}

/** The archive, after the schema took it. */
function archive(report: Report): Log {
  const text = renderHar(report);
  const har: unknown = JSON.parse(text);
  if (!isHar) throw new Error('the schema of HAR is missing');
  isHar(har);
  expect(isHar.errors ?? []).toEqual([]);
  expect(text.length).toBeLessThanOrEqual(2_000_000);
  return har as Log;
}

test('the schema refuses what is no archive', () => {
  expect(isHar?.({ log: { version: '1.2', entries: [{}] } })).toBe(false);
});

test('each request is an entry with its time, sizes, phases and query', () => {
  const { log } = archive(reportWith([requestSeen({ url: 'http://a.test/x.js?b=1&c', protocol: 'h2' })]));
  expect(log.entries).toMatchObject([
    {
      startedDateTime: '1970-01-01T00:00:50.010Z',
      time: 30,
      request: {
        method: 'GET',
        url: 'http://a.test/x.js?b=1&c',
        httpVersion: 'HTTP/2',
        queryString: [
          { name: 'b', value: '1' },
          { name: 'c', value: '' },
        ],
        cookies: [],
        headers: [],
      },
      response: {
        status: 200,
        content: { size: 300, mimeType: 'text/javascript' },
        cookies: [],
        headers: [],
      },
      timings: { blocked: 1, dns: -1, connect: -1, ssl: -1, send: 1, wait: 20, receive: 8 },
      _priority: 'High',
      _transferSize: 100,
      _initiator: { type: 'parser', url: 'http://a.test/' },
    },
  ]);
});

test('without phases all of its time was waiting', () => {
  const [entry] = archive(reportWith([requestSeen({ timings: null })])).log.entries;
  expect(entry).toMatchObject({ time: 30, timings: { wait: 30, send: 0, receive: 0 } });
});

test('a report without requests is an archive without entries', () => {
  expect(archive(reportWith([])).log.entries).toEqual([]);
});

test('of more requests than a report keeps, the archive says so', () => {
  const { log } = archive(reportWith(Array.from({ length: 600 }, () => requestSeen())));
  expect([log.entries.length, log.comment]).toEqual([500, 'The first 500 of 600 requests.']);
});

test('500 longest addresses stay below 2 MB', () => {
  const url = `http://a.test/?${'é'.repeat(10)}${'a&'.repeat(1000)}`.slice(0, 2048);
  expect(
    archive(reportWith(Array.from({ length: 500 }, () => requestSeen({ url })))).log.entries.length,
  ).toBeGreaterThan(0);
});

test('whatever a report holds, the archive is valid', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const request = fc
    .record({ url: text, method: text, protocol: text, mimeType: text, owner: text, failure: text })
    .map(requestSeen);
  fc.assert(
    fc.property(fc.array(request, { maxLength: 3 }), (entries) => {
      expect(archive(reportWith(entries)).log.entries).toHaveLength(entries.length);
    }),
  );
});
