import type { Outline, OutlinedReport } from '#shared/catalogue/outline';
import { findSpec } from '#shared/catalogue/registry';

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
export function drawsOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What may be wrong with a domain, by the check that sees it. */
const faults = {
  'dns-check': ['ns-single', 'spf-missing', 'mx-none-reachable'],
  'ssl-check': ['certificate-expired', 'hsts-missing', 'tls10-offered'],
  'security-header-check': ['csp-missing', 'framing-open', 'referrer-policy-unsafe'],
  'pagespeed-check': ['lcp-poor', 'images-wasteful'],
} as const;
type CheckSeen = keyof typeof faults;
const checks = Object.keys(faults) as CheckSeen[];
const categories: Readonly<Record<CheckSeen, Readonly<Record<string, string[]>>>> = {
  'dns-check': { dns: [], mail: [] },
  'ssl-check': { ssl: [] },
  'security-header-check': { headers: [] },
  'pagespeed-check': { performance: [] },
};

/** What is wrong now: "check code". */
export type Truth = ReadonlySet<string>;
const all = checks.flatMap((check) => faults[check].map((code) => `${check} ${code}`));

/** What keeps a look from seeing. */
export type Sky = {
  /** Checks without a report. */
  readonly late: ReadonlySet<string>;
  readonly isWalled: boolean;
  readonly isResolverDown: boolean;
  readonly hasFailed: boolean;
  /** The web site cannot be reached. */
  readonly isGone: boolean;
  /** Our network worked for nobody, as far as anybody knows. */
  readonly isUntried: boolean;
  /** One fault that this look reads the wrong way round. */
  readonly misread?: string | undefined;
  /** So many versions of our rules ago. */
  readonly rulesBack: number;
};

const unreachedOf = (check: string) => (check === 'ssl-check' ? 'connection-refused' : 'target-unreachable');
const findingOf = (check: string, code: string) => {
  const { severity, points, title } = findSpec(check)?.rules[code] ?? {
    severity: 'low',
    points: 0,
    title: code,
  };
  return { code, severity, title, scoreEffect: -points, fix: 'Fix it.' } as const;
};

function partOf(check: CheckSeen, truth: Truth, sky: Sky, checkedAt: string): OutlinedReport {
  const isBlind =
    (check === 'security-header-check' && sky.isWalled) || (check === 'dns-check' && sky.isResolverDown);
  const isGone = sky.isGone && check !== 'dns-check';
  const codes = faults[check];
  const isBroken = (code: string) => truth.has(`${check} ${code}`) !== (sky.misread === `${check} ${code}`);
  const looking = check === 'dns-check' ? 'lookup-failed' : 'target-blocks-checks';
  const seen = isBlind || isGone ? [] : codes;
  const findings = seen.filter(isBroken).map((code) => findingOf(check, code));
  const gone = isGone ? [findingOf(check, unreachedOf(check))] : [];
  const broken = [...findings, ...gone, ...(isBlind ? [findingOf(check, looking)] : [])];
  const score = isBlind || isGone ? null : 100 - 15 * findings.length;
  return {
    check,
    target: 'a.test',
    state: isGone ? 'unreachable' : isBlind ? 'partial' : 'complete',
    checkedAt,
    score,
    grade: score === null ? null : score > 80 ? 'A' : score > 60 ? 'C' : 'F',
    rulesVersion: (findSpec(check)?.rulesVersion ?? 1) - sky.rulesBack,
    findings: broken,
    passed: [
      ...seen.filter((code) => !isBroken(code)),
      ...(isBlind || isGone ? [] : [looking, unreachedOf(check)]),
    ],
    notTested: isBlind || isGone ? [...codes] : [],
    categories: categories[check],
    ...(isGone && sky.isUntried ? { untried: true } : {}),
  };
}

/** What a domain-health reports of this domain under this sky. */
export function lookAt(truth: Truth, sky: Sky, at: number): Outline {
  const checkedAt = new Date(at).toISOString();
  const seen = checks.filter((check) => !sky.late.has(check) && !sky.hasFailed);
  const parts = seen.map((check) => partOf(check, truth, sky, checkedAt));
  const isWhole = parts.length === checks.length && parts.every(({ state }) => state === 'complete');
  const criticals = parts
    .flatMap(({ findings }) => findings)
    .filter(({ severity }) => severity === 'critical');
  const scores = parts.flatMap(({ score }) => (score === null ? [] : [score]));
  const score =
    scores.length < 3 ? null : Math.round(scores.reduce((sum, one) => sum + one, 0) / scores.length);
  const figure = criticals.length > 0 ? 'found' : isWhole ? 'passed' : 'unseen';
  const own: OutlinedReport = {
    check: 'domain-health',
    target: 'a.test',
    state: sky.hasFailed ? 'failed' : sky.isGone ? 'unreachable' : isWhole ? 'complete' : 'partial',
    checkedAt,
    score: sky.isGone ? null : score,
    grade:
      score === null || sky.isGone
        ? null
        : criticals.length > 0
          ? 'F'
          : score > 90
            ? 'A'
            : score > 75
              ? 'B'
              : 'C',
    rulesVersion: findSpec('domain-health')?.rulesVersion ?? 1,
    findings: [
      ...(figure === 'found' ? [findingOf('domain-health', 'finding-critical')] : []),
      ...(isWhole ? [] : [findingOf('domain-health', 'coverage-incomplete')]),
    ],
    passed: [
      ...(figure === 'passed' ? ['finding-critical'] : []),
      ...(isWhole ? ['coverage-incomplete'] : []),
    ],
    notTested: figure === 'unseen' ? ['finding-critical'] : [],
  };
  return { reports: [own, ...parts], expiries: [] };
}

/** One look at a part alone. */
export function lookAtPart(check: string, truth: Truth, sky: Sky, at: number): OutlinedReport | undefined {
  return checks.some((name) => name === check) && !sky.late.has(check)
    ? partOf(check as CheckSeen, truth, sky, new Date(at).toISOString())
    : undefined;
}

export type Moment = { readonly at: number; readonly truth: Truth; readonly sky: Sky };

/** A domain over days, looked at once in so many ms: what is true and what can be seen at each turn, the same for the same seed. */
export function weatherOf(seed: number, days: number, everyMs: number): readonly Moment[] {
  const draw = drawsOf(seed);
  const truth = new Set(all.filter(() => draw() < 0.2));
  let flapping: { fault: string; until: number } | undefined;
  let goneUntil = 0;
  const turns = Math.floor((days * 86_400_000) / everyMs);
  return Array.from({ length: turns }, (_, turn): Moment => {
    const at = turn * everyMs;
    const toggle = (fault: string) => void (truth.delete(fault) || truth.add(fault));
    // A change of the domain lasts, but for what flaps.
    if (draw() < 0.08) toggle(all[Math.floor(draw() * all.length)] ?? '');
    if (draw() < 0.01) flapping = { fault: all[Math.floor(draw() * all.length)] ?? '', until: turn + 20 };
    if (flapping && turn < flapping.until) toggle(flapping.fault);
    if (draw() < 0.01) goneUntil = turn + 1 + Math.floor(draw() * 4);
    const misread = draw() < 0.02 ? all[Math.floor(draw() * all.length)] : undefined;
    const sky = {
      late: new Set(checks.filter((check) => draw() < (check === 'pagespeed-check' ? 0.1 : 0.03))),
      isWalled: draw() < 0.05,
      isResolverDown: draw() < 0.04,
      hasFailed: draw() < 0.01,
      isGone: turn < goneUntil,
      isUntried: draw() < 0.3,
      misread,
      rulesBack: turn < turns / 3 ? 1 : 0,
    };
    return { at, truth: new Set(truth), sky };
  });
}
