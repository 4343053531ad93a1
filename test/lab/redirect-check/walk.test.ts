import { afterAll, expect, test } from 'vitest';
import { findCheck } from '../../../worker/checks/registry.ts';
import { prepareProbesOf } from '../../../worker/open.ts';
import { openLab } from '../kit/lab.ts';

const lab = await openLab({
  sites: {
    'http://a.test': (_request, response) => response.writeHead(301, { location: 'https://a.test/' }).end(),
    'https://a.test': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
  },
});
const probes = prepareProbesOf(lab.config());
afterAll(async () => {
  probes.close();
  await lab.close();
});

test('http to https in one hop is walked to its end, and nothing stays open', async () => {
  const check = findCheck('redirect-check');
  const opened = probes.open(new AbortController().signal);
  const evidence = await check?.gather({
    target: 'http://a.test/',
    options: {},
    probes: opened,
    progress: () => undefined,
  });
  opened.close();
  const { fields, verdicts } = check?.assess(evidence ?? null) ?? {};
  expect(fields).toMatchObject({ ended: 'ok', redirects: 1, finalUrl: 'https://a.test/', finalStatus: 200 });
  expect(verdicts).toMatchObject({
    'certificate-not-trusted': 'holds',
    'https-missing': 'holds',
    'redirect-temporary': 'holds',
  });
  await expect.poll(() => lab.web.openSockets()).toBe(0);
});
