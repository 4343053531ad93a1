import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import { gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import { openProbe, openSite } from './kit.ts';

// A bot wall answers with status 200 and a page that paints: only its fields tell that it is not the site.
const html = '<!doctype html><meta name="viewport" content="width=device-width">';
const site = await openSite((request, response) => {
  const { host = '' } = request.headers;
  if (host.startsWith('consent.'))
    return void response.end(`${html}<title>Before you go on</title><h1>May we?</h1>`);
  if (host === 'b.test') {
    const gate = 'http://consent.gate.test/consent?return=http%3A%2F%2Fb.test%2F';
    return void response.end(`${html}<title>b</title><script>location.replace("${gate}")</script>`);
  }
  if (host === 'c.test')
    return void response.end(
      `${html}<title>c</title><script>location.replace("http://www.c.test/")</script>`,
    );
  if (host === 'www.c.test') return void response.end(`${html}<title>c</title><h1>hello</h1>`);
  return void response
    .writeHead(200, {
      'content-type': 'text/html',
      'cf-mitigated': 'challenge',
      'set-cookie': ['a=1', 'b=2'],
    })
    .end(`${html}<title>Just a moment...</title><h1>x</h1>`);
});
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

const assess = async (target: string) => {
  const evidence = await gatherPagespeed({
    target,
    options: { strategy: 'mobile', runs: 1 },
    probes: { browser: openProbe(site.port) },
    progress: () => undefined,
  });
  return assessPagespeed(evidence);
};

test(
  'a script that leads to a consent page of another host is no page of the site',
  { timeout: 60_000 },
  async () => {
    const { verdicts, score, fields } = await assess('http://b.test/');
    expect(codesBroken(verdicts)).toContain('target-blocks-checks');
    expect(score ?? null).toBeNull();
    expect(fields.metrics).toBeNull();
  },
);

test('a script that leads to a page of the site is measured there', { timeout: 60_000 }, async () => {
  const { verdicts, score, fields } = await assess('http://c.test/');
  expect(codesBroken(verdicts)).toContain('page-sends-on');
  expect(score).toEqual(expect.any(Number));
  expect(fields.sentOn).toEqual({ from: 'http://c.test/', to: 'http://www.c.test/' });
});
