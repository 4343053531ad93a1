import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import { openProbe, openSite } from './kit.ts';

// A bot wall answers with status 200 and a page that paints: only its fields tell that it is not the site.
const site = await openSite((_request, response) =>
  response
    .writeHead(200, {
      'content-type': 'text/html',
      'cf-mitigated': 'challenge',
      'set-cookie': ['a=1', 'b=2'],
    })
    .end(
      '<!doctype html><meta name="viewport" content="width=device-width"><title>Just a moment...</title><h1>x</h1>',
    ),
);
afterAll(() => site.close());

test('a challenge with status 200 is not measured as the site', { timeout: 60_000 }, async () => {
  const evidence = await gatherPagespeed({
    target: 'http://a.test/',
    options: { strategy: 'mobile', runs: 1 },
    probes: { browser: openProbe(site.port) },
    progress: () => undefined,
  });
  const [run] = evidence.runs;
  const end = run?.kind === 'run' ? run.end : undefined;
  const document = end?.kind === 'loaded' && 'document' in end ? end.document : undefined;
  expect(document).toMatchObject({ url: 'http://a.test/', status: 200, bodySigns: ['browser-check'] });
  expect(document?.headers.filter(([name]) => name === 'set-cookie')).toHaveLength(2);
  expect(JSON.stringify(evidence)).not.toContain('Just a moment');
  const { verdicts, score } = assessPagespeed(evidence);
  expect(codesBroken(verdicts)).toEqual(['target-blocks-checks']);
  expect(score ?? null).toBeNull();
});
