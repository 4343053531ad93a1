import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import { gatherRedirects, walkLimits } from '../../../worker/checks/redirect-check/gather.ts';
import { securityHeaderCheck } from '../../../worker/checks/security-header-check/index.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { openLab } from '../kit/lab.ts';
import { sitesOf, type WireSite, wireSites } from './wire-sites.ts';

const lab = await openLab({ sites: sitesOf(wireSites) });
const probes = prepareProbesOf(lab.config());
afterAll(async () => {
  probes.close();
  await lab.close();
});

async function ask({ check, host }: WireSite) {
  const opened = probes.open(new AbortController().signal);
  const context = { target: `https://${host}/`, options: {}, probes: opened, progress: () => undefined };
  const assessment =
    check === 'headers'
      ? securityHeaderCheck.assess(await securityHeaderCheck.gather(context))
      : assessRedirects(await gatherRedirects(context, walkLimits));
  opened.close();
  return assessment;
}

test.for(wireSites)('$what', async (site) => {
  const { verdicts, score } = await ask(site);
  const broken: readonly string[] = codesBroken(verdicts);
  console.info(`${site.what}: ${score ?? 'no score'}; ${broken.join(' ')}`);
  expect(broken).toEqual(expect.arrayContaining([...site.wants]));
  expect(broken.filter((code) => site.never?.includes(code))).toEqual([]);
  expect(score === null).toBe(site.score === 'none');
});
