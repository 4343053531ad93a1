import { rules } from '#shared/catalogue/redirect-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { gradeOf, score as addUp } from '#shared/model/score';
import { codesBroken, type Verdicts } from '#shared/model/verdict';
import { type RecordedChain, readCorpus, replay } from '../test/kit/corpus.ts';
import { assessRedirects } from '../worker/checks/redirect-check/assess.ts';
import type { RedirectEvidence } from '../worker/checks/redirect-check/evidence.ts';
import { gatherRedirects, walkLimits } from '../worker/checks/redirect-check/gather.ts';
import type { Probes } from '../worker/probes/port.ts';
import { openWork } from '../worker/probes/work.ts';

/** What redirect-check says of the recorded chains of real sites, begun at both schemes: `node bench/chains.ts [--all]`. */
type JudgedChain = { readonly url: string; readonly grade: string; readonly codes: readonly string[] };

async function walk(chain: RecordedChain, target: string): Promise<RedirectEvidence> {
  const probes = { http: replay(chain), work: openWork() } as unknown as Probes;
  return gatherRedirects({ target, options: {}, probes, progress: () => undefined }, walkLimits);
}

function judge(evidence: RedirectEvidence): JudgedChain {
  const { state, verdicts, score } = assessRedirects(evidence);
  const points = score === undefined && state !== 'unreachable' ? addUp(rules, verdicts) : (score ?? null);
  const warned = listVerdicts(rules, verdicts).findings.some(({ severity }) => severity !== 'info');
  const codes = codesBroken(verdicts as Verdicts);
  return { url: evidence.url, grade: gradeOf(points, warned) ?? 'none', codes };
}

function countBy(values: readonly string[]): string {
  const counts = Map.groupBy(values, (value) => value);
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([value, all]) => `${value} ${all.length}`)
    .join(', ');
}

const rounds = 50;

const chains = readCorpus();
for (const scheme of ['http', 'https']) {
  const walked: RedirectEvidence[] = [];
  for (const chain of chains) {
    const start = (chain.hops[0]?.url ?? '').replace(/^https?/, scheme);
    const hasStart = scheme === 'http' || chain.hops.some(({ url }) => url.startsWith('https:'));
    if (hasStart) walked.push(await walk(chain, start));
  }
  const judged = walked.map(judge);
  const before = process.threadCpuUsage();
  for (let round = 0; round < rounds; round += 1) for (const evidence of walked) judge(evidence);
  const { user, system } = process.threadCpuUsage(before);
  const perChainMs = (user + system) / 1000 / rounds / walked.length;
  console.log(`from ${scheme}: ${judged.length} chains, ${perChainMs.toFixed(3)} ms CPU to judge each`);
  console.log(`  grades: ${countBy(judged.map(({ grade }) => grade))}`);
  console.log(`  broken: ${countBy(judged.flatMap(({ codes }) => codes))}`);
  if (process.argv.includes('--all'))
    for (const { url, grade, codes } of judged) console.log(`  ${url} ${grade} ${codes.join(' ')}`);
}
