import { rules as headerRules } from '#shared/catalogue/security-header-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { gradeOf } from '#shared/model/score';
import { codesBroken, type Verdicts } from '#shared/model/verdict';
import { type RecordedChain, readCorpus, replay } from '../test/kit/corpus.ts';
import { assessHeaders } from '../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../worker/checks/security-header-check/evidence.ts';
import { gatherHeaders } from '../worker/checks/security-header-check/gather.ts';
import type { Probes } from '../worker/probes/port.ts';
import { openWork } from '../worker/probes/work.ts';

/** What the recorded chains of real sites say of our judgement: `node bench/corpus.ts`. */
type JudgedSite = {
  readonly host: string;
  readonly score: number | null;
  readonly grade: string | null;
  readonly observatory: { readonly score: number | null; readonly grade: string | null };
  readonly block: string | null;
  readonly codes: readonly string[];
};

const letters = ['A', 'B', 'C', 'D', 'F'];

async function judge(chain: RecordedChain): Promise<JudgedSite> {
  const target = chain.hops[0]?.url ?? '';
  const probes = { http: replay(chain), work: openWork() } as unknown as Probes;
  const gathered = await gatherHeaders({ target, options: {}, probes, progress: () => undefined });
  const evidence: HeaderEvidence = { ...gathered, seenAtMs: recordedAt(chain) };
  const { verdicts, score = null, fields } = assessHeaders(evidence);
  const warned = listVerdicts(headerRules, verdicts).findings.some(({ severity }) => severity !== 'info');
  const { sign = null } = (fields['answeredBy'] ?? {}) as { readonly sign?: string };
  return {
    host: chain.host,
    score,
    grade: gradeOf(score, warned),
    observatory: fields['observatory'] as JudgedSite['observatory'],
    block: sign,
    codes: codesBroken(verdicts as Verdicts),
  };
}

// Cookies were recorded with the dates of their day.
function recordedAt({ hops }: RecordedChain): number {
  const dates = hops.flatMap(({ headers }) => headers.filter(([name]) => name.toLowerCase() === 'date'));
  return Date.parse(dates[0]?.[1] ?? '') || Date.UTC(2024, 9, 31);
}

/** Spearman's rank correlation; ties share the mean of their ranks. */
function spearman(pairs: readonly (readonly [number, number])[]): number {
  const ranked = [0, 1].map((side) => ranks(pairs.map((pair) => pair[side as 0 | 1])));
  const [one = [], other = []] = ranked;
  const mean = (pairs.length + 1) / 2;
  const sum = (pick: (at: number) => number) => one.reduce((total, _, at) => total + pick(at), 0);
  const covariance = sum((at) => ((one[at] ?? 0) - mean) * ((other[at] ?? 0) - mean));
  const spread = (list: readonly number[]) => list.reduce((total, rank) => total + (rank - mean) ** 2, 0);
  return covariance / Math.sqrt(spread(one) * spread(other));
}

function ranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
}

function countBy(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([value, count]) => `${value} ${count}`)
    .join(', ');
}

const letterOf = (grade: string | null) => letters.indexOf((grade ?? '').slice(0, 1));

const chains = readCorpus();
const before = process.cpuUsage();
const judged: JudgedSite[] = [];
for (const chain of chains) judged.push(await judge(chain));
const cpuMs = process.cpuUsage(before).user / 1000;
const isWhole = (host: string) =>
  chains.some((chain) => chain.host === host && chain.hops.some(({ url }) => url.startsWith('https:')));
const scored = judged
  .filter(({ host }) => isWhole(host))
  .filter(({ score, observatory }) => score !== null && observatory.score !== null);
const far = scored.filter(
  ({ grade, observatory }) => Math.abs(letterOf(grade) - letterOf(observatory.grade)) >= 2,
);

console.log(
  `${chains.length} chains, ${(cpuMs / chains.length).toFixed(2)} ms CPU each (cold, with walk and page)`,
);
console.log(
  `not seen: ${judged
    .filter(({ block }) => block)
    .map(({ host, block }) => `${host} (${block})`)
    .join(', ')}`,
);
console.log(`grades: ${countBy(judged.map(({ grade }) => grade ?? 'none'))}`);
console.log(`Observatory's: ${countBy(judged.map(({ observatory }) => observatory.grade ?? 'none'))}`);
console.log(
  `rank correlation of ${scored.length} scores: ${spearman(scored.map(({ score, observatory }) => [score ?? 0, observatory.score ?? 0])).toFixed(3)}`,
);
console.log(
  `findings of cookies: ${countBy(judged.flatMap(({ codes }) => codes.filter((code) => code.startsWith('cookie-'))))}`,
);
console.log(`sites that a rule was broken at: ${countBy(judged.flatMap(({ codes }) => codes))}`);
console.log(`two letters apart: ${far.length}`);
for (const { host, score, grade, observatory, codes } of far)
  console.log(
    `  ${host}: ${grade} ${score}, Observatory ${observatory.grade} ${observatory.score}: ${codes.join(' ')}`,
  );
if (process.argv.includes('--all'))
  for (const { host, score, grade, observatory, codes } of judged.toSorted(
    (one, other) => (other.score ?? -1) - (one.score ?? -1),
  ))
    console.log(
      `${host.padEnd(24)} ${grade} ${score} | ${observatory.grade} ${observatory.score} | ${codes.join(' ')}`,
    );
