import { expect, test } from 'vitest';
import { type BrowserContext, gatherPagespeed } from '../../../worker/checks/pagespeed-check/gather.ts';
import type { BrowserRequest, BrowserRun, PsiAnswer } from '../../../worker/probes/browser/port.ts';
import { ended, load } from './evidence-kit.ts';
import { psiAnswer } from './psi-kit.ts';

/** Gathers with a browser that gives these runs one after the other. */
async function gather(
  runs: readonly (BrowserRun | PsiAnswer)[],
  options: BrowserContext['options'] = { strategy: 'mobile', runs: 1 },
) {
  const asked: BrowserRequest[] = [];
  const browser = {
    run: async (request: BrowserRequest) => {
      asked.push(request);
      return runs[asked.length - 1] ?? ended({ kind: 'killed' as const, why: 'deadline' as const });
    },
    askField: async () => ({ kind: 'none' as const, reason: 'nobody was asked' }),
  };
  const context = { target: 'http://a.test/', options, probes: { browser }, progress: () => undefined };
  return { asked, evidence: await gatherPagespeed(context) };
}

const crashed = (tookMs: number) => ({ ...ended({ kind: 'crashed', message: 'exit SIGSEGV' }), tookMs });

test('each run is one load of a browser', async () => {
  const { asked, evidence } = await gather([load(), load(), load()], { strategy: 'desktop', runs: 3 });
  expect(asked.map(({ strategy }) => strategy)).toEqual(['desktop', 'desktop', 'desktop']);
  expect(evidence.runs).toHaveLength(3);
});

test('a page that could not be measured is not loaded again', async () => {
  const { asked } = await gather([load(), ended({ kind: 'killed', why: 'memory' })], {
    strategy: 'mobile',
    runs: 3,
  });
  expect(asked).toHaveLength(2);
});

test('a browser that died early gets a second chance, within the same limit', async () => {
  const { asked, evidence } = await gather([crashed(4000), load()]);
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([52_000, 48_000]);
  expect(evidence.runs).toHaveLength(1);
  expect(evidence.runs[0]).toMatchObject({ end: { kind: 'loaded' } });
});

test('a browser that died late does not', async () => {
  const { asked } = await gather([crashed(40_000), load()]);
  expect(asked).toHaveLength(1);
});

test('the attempts of one run fit into its limit of 60 s', async () => {
  const { asked } = await gather([crashed(4000), crashed(4000)]);
  expect(asked).toHaveLength(2);
  expect(4000 + (asked[1]?.timeoutMs ?? 0)).toBeLessThan(60_000);
});

test('only the first run keeps its screenshot', async () => {
  const { evidence } = await gather([load(), load()], { strategy: 'mobile', runs: 2 });
  const screenshots = evidence.runs.map((run) =>
    run.kind === 'run' && run.end.kind === 'loaded' ? run.end.page.screenshot : null,
  );
  expect(screenshots).toEqual(['/9j/4AAQ', null]);
});

test('PageSpeed Insights is asked once, whatever is wanted, and its answer is trimmed', async () => {
  const { asked, evidence } = await gather([psiAnswer(), psiAnswer()], { strategy: 'mobile', runs: 3 });
  expect(asked).toHaveLength(1);
  expect(evidence.runs).toMatchObject([{ kind: 'run', source: 'psi', end: { page: { score: 0.88 } } }]);
  expect(JSON.stringify(evidence).length).toBeLessThan(5000);
});
