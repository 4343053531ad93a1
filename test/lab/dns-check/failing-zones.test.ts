import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureCodes } from '#shared/catalogue/dns-check/failures';
import { codesBroken } from '#shared/model/verdict';
import { checkDomain } from './check-domain.ts';
import { skipReason } from './debian-tools.ts';
import { failingRows, failingZones, mannerOf, ways } from './failing-zones.ts';
import { openSignedLab, type SignedLab } from './signed-lab.ts';

// nsd behind a relay that fails for one type at one name; unbound in between.
const reason = skipReason('lookups that fail');
const block = 147;
const codes: readonly string[] = Object.values(failureCodes);

describe.skipIf(reason !== undefined)('a lookup that fails for everybody', () => {
  let lab: SignedLab;
  beforeAll(async () => {
    lab = await openSignedLab(block, failingZones(block), mannerOf);
    // Every zone is signed by Debian's tools, which a busy machine starts slowly.
  }, 120_000);
  afterAll(async () => lab?.close());

  describe.for(ways)('by %s', (way) => {
    test.concurrent.for(failingRows.filter((row) => row.way === way))(
      '$kind, at its $place: $code',
      { timeout: 40_000 },
      async ({ domain, kind, code }, { expect }) => {
        const { verdicts } = await checkDomain(domain, lab.settings);
        // The record of SPF names the host that MX names.
        const told = codesBroken(verdicts).filter(
          (one) => codes.includes(one) && !(kind === 'mx' && one === 'spf-lookup-failed'),
        );
        expect(told).toEqual(code === undefined ? [] : [code]);
      },
    );
  });
});

test('each kind of failure has rows', () => {
  const told = new Set(failingRows.map(({ code }) => code));
  const { 'SPF include': _, ...own } = failureCodes;
  expect([...told].filter((code) => code !== undefined).toSorted()).toEqual(Object.values(own).toSorted());
});
