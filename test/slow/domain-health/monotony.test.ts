import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rules as dnsCheckRules } from '#shared/catalogue/dns-check/rules';
import { categoryNames, categoryWeights } from '#shared/catalogue/domain-health/weights';
import { rules as headerRules } from '#shared/catalogue/security-header-check/rules';
import { rules as sslRules } from '#shared/catalogue/ssl-check/rules';
import { connectionRules } from '#shared/catalogue/ssl-check/rules/connection';
import { assessHealth, type HealthAssessment } from '#shared/health/assess';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { combine, limitGrade } from '#shared/health/judge/score';
import { type Grade, gradeNames, gradeOf } from '#shared/model/score';
import { runsOf } from '../../kit/property-runs.ts';
import {
  dns,
  dnsFields,
  goodRedirects,
  headers,
  performance,
  redirect,
  ssl,
  sslAway,
} from '../../unit/domain-health/parts.ts';
import { chain, failed, stopped } from '../../unit/redirect-check/chain.ts';

// 21,000 cases together. Reports are made by the checks' own tables, so that a score follows from its findings.
const runs = { findings: runsOf(5000), scores: runsOf(5000), arrivals: runsOf(5000), caps: runsOf(6000) };
/** Each takes seconds on an idle machine. */
const patienceMs = 60_000;

/** A domain as a set of faults. */
type Faults = {
  readonly dns: readonly string[];
  readonly headers: readonly string[];
  /** Of the certificate, the versions and the suites. */
  readonly tls: readonly string[];
  /** Why there is no TLS; then nothing else is known of it. */
  readonly tlsObstacle: string | null;
  readonly speed: number;
  readonly away: readonly ('dns' | 'ssl' | 'headers' | 'performance')[];
  readonly ways: readonly number[];
};

// With these the DNS says nothing of the rest; they have rows of their own. So has the wildcard: with it goes the www that it answers for.
const wholeDomain = ['domain-not-found', 'ns-none-answers'];
const dnsCodes = Object.keys(dnsCheckRules).filter(
  (code) => !wholeDomain.includes(code) && code !== 'wildcard-present',
);
const tlsCodes = Object.keys(sslRules).filter((code) => !Object.hasOwn(connectionRules, code));

// With a block page nothing else of the headers is known; a domain is not worse for being seen.
const headerCodes = Object.keys(headerRules).filter((code) => code !== 'target-blocks-checks');

const faults: fc.Arbitrary<Faults> = fc.record({
  dns: fc.subarray(dnsCodes, { maxLength: 6 }),
  headers: fc.subarray(headerCodes, { maxLength: 6 }),
  tls: fc.subarray(tlsCodes, { maxLength: 4 }),
  tlsObstacle: fc.option(fc.constantFrom(...Object.keys(connectionRules)), { freq: 4 }),
  speed: fc.nat(100),
  away: fc.subarray(['dns', 'ssl', 'headers', 'performance'] as const, { maxLength: 2 }),
  ways: fc.array(fc.nat(7), { minLength: 4, maxLength: 4 }),
});

const distrusted = { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } };
const entryPoints = goodRedirects().map((good) => [
  good,
  redirect(chain(good.url)),
  redirect(chain([good.url, { status: 404 }])),
  redirect(failed('connection-refused', good.url)),
  redirect(failed('connection-timeout', good.url)),
  redirect(stopped({ kind: 'loop', to: good.url }, good.url)),
  { url: good.url, part: { unavailable: 'it did not end in time' } },
  redirect(chain([good.url, good.url.startsWith('https:') ? distrusted : {}])),
]);

const away: Source = { unavailable: 'it did not end in time' };
const isBogus = (codes: readonly string[]) =>
  ['dnssec-bogus', 'dnssec-ds-without-key', 'dnssec-signature-invalid'].some((code) => codes.includes(code));

/** Makes a part once for each set of faults: of two domains that differ in one part, the others are the same. */
function once<Faulty extends object>(make: (faulty: Faulty) => Source): (faulty: Faulty) => Source {
  const made = new WeakMap<Faulty, Source>();
  return (faulty) => {
    const part = made.get(faulty) ?? make(faulty);
    made.set(faulty, part);
    return part;
  };
}

const dnsOf = once((broken: readonly string[]) => {
  const status = isBogus(broken) ? 'bogus' : 'secure';
  return dns({ broken }, { dnssec: { ...dnsFields.dnssec, status } });
});
const headersOf = once((broken: readonly string[]) => headers({ broken }));
const tlsOf = once((broken: readonly string[]) => ssl({ broken }));
const obstacles = new Map(
  Object.keys(connectionRules).map((code) => [
    code,
    code.startsWith('port-') ? ssl({ broken: [code] }) : sslAway(code),
  ]),
);
const speeds = Array.from({ length: 101 }, (_, score) => performance({ score }));

function evidenceOf(seen: Faults): HealthEvidence {
  const unless = (name: Faults['away'][number], part: () => Source) =>
    seen.away.includes(name) ? away : part();
  return {
    domain: 'a.test',
    dns: unless('dns', () => dnsOf(seen.dns)),
    ssl: unless('ssl', () => obstacles.get(seen.tlsObstacle ?? '') ?? tlsOf(seen.tls)),
    headers: unless('headers', () => headersOf(seen.headers)),
    performance: unless('performance', () => speeds[seen.speed] ?? away),
    redirects: entryPoints
      .map((ways, index) => ways[seen.ways[index] ?? 0] ?? ways[0])
      .flatMap((way) => way ?? []),
    previous: null,
  };
}

type Judged = Pick<HealthAssessment, 'score' | 'grade'>;

/** What the second has lost against the first, in number or in letter; nothing where the first had no score. */
function lossOf(before: Judged, after: Judged): readonly string[] {
  if (before.score === null || before.score === undefined) return [];
  const isLower = typeof after.score !== 'number' || after.score < before.score;
  const isWorse = rank(after.grade) > rank(before.grade);
  return [
    ...(isLower ? [`score ${before.score} to ${after.score}`] : []),
    ...(isWorse ? [`grade ${before.grade} to ${after.grade}`] : []),
  ];
}

function rank(grade: Grade | null): number {
  return grade === null ? gradeNames.length : gradeNames.indexOf(grade);
}

test(
  `mending one finding of any part never lowers score or grade (${runs.findings} cases)`,
  () => {
    fc.assert(
      fc.property(faults, fc.nat(), (seen, pick) => {
        const all = [
          ...seen.dns.map((code) => ({ dns: seen.dns.filter((other) => other !== code) })),
          ...seen.headers.map((code) => ({ headers: seen.headers.filter((other) => other !== code) })),
          ...(seen.tlsObstacle === null
            ? seen.tls.map((code) => ({ tls: seen.tls.filter((other) => other !== code) }))
            : [{ tlsObstacle: null, tls: [] }]),
        ];
        const mended = all[pick % Math.max(1, all.length)] ?? {};
        const [before, after] = [seen, { ...seen, ...mended }].map((one) => assessHealth(evidenceOf(one)));
        expect(before && after && lossOf(before, after)).toEqual([]);
      }),
      { numRuns: runs.findings },
    );
  },
  patienceMs,
);

const parts = ['dns', 'mail', 'ssl', 'headers', 'performance'] as const;

test(
  `a better score of one part never lowers score or grade (${runs.scores} cases)`,
  () => {
    fc.assert(
      fc.property(faults, fc.constantFrom(...parts), fc.nat(100), (seen, part, more) => {
        const evidence = evidenceOf(seen);
        expect(lossOf(assessHealth(evidence), assessHealth(raise(evidence, part, more)))).toEqual([]);
      }),
      { numRuns: runs.scores },
    );
  },
  patienceMs,
);

/** The same evidence, with so many points more in one part; its findings stay, as a part whose scoring got milder. */
function raise(evidence: HealthEvidence, name: (typeof parts)[number], more: number): HealthEvidence {
  const key = name === 'mail' ? 'dns' : name;
  const part = evidence[key];
  if ('unavailable' in part || part.report.score === null) return evidence;
  const { report } = part;
  const up = (score: unknown) => Math.min(100, (typeof score === 'number' ? score : 0) + more);
  if (key === 'dns') {
    const field = name === 'mail' ? 'mailScore' : 'dnsScore';
    return { ...evidence, dns: { report: { ...report, [field]: up(report[field]) } } };
  }
  const score = up(report.score);
  const warned = report.findings.some(({ severity }) => severity !== 'info');
  return { ...evidence, [key]: { report: { ...report, score, grade: gradeOf(score, warned) } } };
}

test(
  `a part that arrives with the score of the whole, or more, never lowers it (${runs.arrivals} cases)`,
  () => {
    fc.assert(
      fc.property(faults, fc.constantFrom(...parts), fc.nat(100), (seen, part, more) => {
        const name = part === 'mail' ? 'dns' : part;
        const before = assessHealth({ ...evidenceOf({ ...seen, tlsObstacle: null }), [name]: away });
        const score = Math.min(100, (before.score ?? 0) + more);
        const arrived = {
          dns: () => dns({}, { dnsScore: score, mailScore: Math.min(100, score + 3) }),
          ssl: () => ssl({ score }),
          headers: () => headers({ score }),
          performance: () => performance({ score }),
        }[name]();
        const after = assessHealth({ ...evidenceOf({ ...seen, tlsObstacle: null }), [name]: arrived });
        expect(lossOf(before, after)).toEqual([]);
      }),
      { numRuns: runs.arrivals },
    );
  },
  patienceMs,
);

const category = fc.record({
  score: fc.option(fc.nat(100)),
  isApplicable: fc.boolean(),
});

test(`taking away one limit never lowers the grade, and no limit raises it (${runs.caps} cases)`, () => {
  const grades = fc.constantFrom(...gradeNames);
  fc.assert(
    fc.property(fc.option(grades), fc.array(grades, { maxLength: 6 }), fc.nat(), (grade, caps, pick) => {
      const fewer = caps.filter((_, index) => index !== pick % Math.max(1, caps.length));
      expect(rank(limitGrade(grade, fewer))).toBeLessThanOrEqual(rank(limitGrade(grade, caps)));
      expect(rank(limitGrade(grade, caps))).toBeGreaterThanOrEqual(rank(grade));
    }),
    { numRuns: runs.caps },
  );
});

test('the mean lies between the worst and the best category, whole, and its coverage between 0 and 1', () => {
  fc.assert(
    fc.property(fc.tuple(category, category, category, category, category), (list) => {
      const categories = list.map(({ score, isApplicable }, index) => ({
        score: isApplicable ? score : null,
        state: isApplicable ? ('ok' as const) : ('not-applicable' as const),
        weight: categoryWeights[categoryNames[index] ?? 'dns'],
      }));
      const { score, coverage } = combine(categories);
      const scores = categories.flatMap((one) => one.score ?? []);
      const isBetween =
        score === null ||
        (Number.isInteger(score) && Math.min(...scores) <= score && score <= Math.max(...scores));
      expect({ isBetween, isShare: 0 <= coverage && coverage <= 1 }).toEqual({
        isBetween: true,
        isShare: true,
      });
    }),
    { numRuns: 2000 },
  );
});

test('the order of the keys of the evidence changes nothing', () => {
  fc.assert(
    fc.property(faults, (seen) => {
      const evidence = evidenceOf(seen);
      const turned = turnKeys(JSON.parse(JSON.stringify(evidence))) as HealthEvidence;
      // Findings of parts are handed on as they are.
      const whole = (from: HealthEvidence) => {
        const { fields, ...rest } = JSON.parse(JSON.stringify(assessHealth(from))) as HealthAssessment;
        const { partFindings, raise, ...own } = fields;
        return { copied: { partFindings, raise }, own: JSON.stringify({ ...rest, own }) };
      };
      expect(whole(turned)).toEqual(whole(evidence));
    }),
    { numRuns: 300 },
  );
});

function turnKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turnKeys(inner)]),
  );
}

test('the generated domains are of every kind: some without a score, some of each grade but the best', () => {
  const seen = fc.sample(faults, { numRuns: 600, seed: 7 }).map((one) => assessHealth(evidenceOf(one)));
  expect(new Set(seen.map(({ grade }) => grade))).toEqual(new Set([null, 'A', 'B', 'C', 'D', 'F']));
});
