import { LRUCache } from 'lru-cache';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { findSpec } from '#shared/catalogue/registry';
import { judgeSoFar } from '#shared/health/assess';
import { evidenceOf } from '#shared/health/evidence-of';
import type { Category } from '#shared/health/facts/categories';
import type { Caller } from '#shared/limits/caller';
import { anonymousAccount, type Grant, grantOf } from '#shared/model/grant';
import type { Job } from '#shared/model/job';
import { severities } from '#shared/model/verdict';
import type { PartProgress, Progress } from '#shared/ports/job-queue';
import type { StoredReport } from '#shared/ports/report-store';
import type { KnownSoFar, PartSoFar } from '#shared/render/so-far';
import { readReport } from '#shared/stores/reports/read-report';
import { type DeniedNames, hostOfTarget } from '#shared/targets/denied-names';
import type { Reports } from '../answer/ready-report.ts';
import type { Site } from '../answer/site.ts';

/** How far a run is, with what is known of its parts. */
export type ProgressSoFar = Omit<Progress, 'parts' | 'reports'> & KnownSoFar;

/** What is known of a run, for a caller who may see its job. */
export type ReadSoFar = (
  caller: Pick<Caller, 'account' | 'scopes'>,
  job: Pick<Job, 'check' | 'target' | 'options'>,
  progress: Progress,
) => Promise<ProgressSoFar>;

type Judged = Pick<ProgressSoFar, 'soFar'> & {
  readonly parts: ReadonlyMap<string, Omit<PartSoFar, keyof PartProgress>>;
  readonly grants: readonly Grant[];
  /** Accounts whose grants are written. */
  readonly givenTo: Set<string>;
};

/** Of runs that are watched at once; where there are more, some are judged again. */
const keptBytes = 4 * 1024 * 1024;
/** Of a part, beside its finding. */
const partBytes = 500;

/** Opens it. What is judged is kept as long as no other part is there, as many may watch a run. */
export function openSoFar(
  reports: Reports,
  site: Pick<Site, 'isOpen'>,
  denied: DeniedNames | undefined,
): ReadSoFar {
  const known = new LRUCache<string, Judged>({ maxSize: keptBytes, sizeCalculation: sizeOf });
  const judge = async (job: Parameters<ReadSoFar>[1], ids: readonly string[]): Promise<Judged> => {
    const key = ids.join();
    const kept = known.get(key);
    // A name may be denied meanwhile: then its report is not there any more.
    if (kept?.grants.every(({ target }) => !denied?.covers(hostOfTarget(target)))) return kept;
    const found = await Promise.all(ids.map((id) => reports.reportStore.get(id)));
    const judged = judgeParts(
      job,
      // Records of a visit other than reports of checks are internal.
      found.flatMap((stored) => (stored && findSpec(stored.check) ? [stored] : [])),
    );
    known.set(key, judged);
    return judged;
  };
  return async (caller, job, { reports: ids = [], parts, ...progress }) => {
    if (!parts || ids.length === 0 || job.check !== domainHealth.name)
      return { ...progress, ...(parts ? { parts } : {}) };
    const judged = await judge(job, ids);
    const mayRead = reports.reportIds && (site.isOpen || caller.scopes.includes('reports:read'));
    if (mayRead && !judged.givenTo.has(caller.account)) {
      // Whoever is told an id may read what it names.
      await Promise.all(judged.grants.map((grant) => reports.reportStore.grants.give(caller.account, grant)));
      judged.givenTo.add(caller.account);
    }
    return {
      ...progress,
      parts: parts.map((part) => (part.state === 'done' ? withJudged(part, judged, mayRead) : part)),
      ...(judged.soFar ? { soFar: judged.soFar } : {}),
    };
  };
}

function withJudged(part: PartProgress, { parts }: Judged, mayRead: boolean): PartSoFar {
  const { reportId, ...known } = parts.get(part.name) ?? {};
  return { ...part, ...known, ...(mayRead && reportId !== undefined ? { reportId } : {}) };
}

const notYet = 'it is not judged yet';

function judgeParts(job: Parameters<ReadSoFar>[1], stored: readonly StoredReport[]): Judged {
  const { score, grade, coverage, categories } = judgeSoFar(evidenceOf(job, stored.map(readReport), notYet));
  return {
    parts: new Map(categories.filter(({ isReported }) => isReported).map((one) => [one.name, showPart(one)])),
    grants: stored.map(grantOf),
    givenTo: new Set(stored.every(({ isOpen }) => isOpen) ? [anonymousAccount] : []),
    ...(score === null || grade === null ? {} : { soFar: { score, grade, coverage } }),
  };
}

function sizeOf({ parts, grants }: Judged): number {
  const texts = [...parts.values()].map(({ worst }) => JSON.stringify(worst ?? '').length);
  return texts.reduce((sum, bytes) => sum + bytes, partBytes * (1 + parts.size + grants.length));
}

function showPart({ grade, score, findings, link }: Category): Omit<PartSoFar, keyof PartProgress> {
  const [worst] = findings.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.scoreEffect - b.scoreEffect,
  );
  return {
    grade,
    score,
    ...(link.reportId === undefined ? {} : { reportId: link.reportId }),
    ...(worst && worst.severity !== 'info'
      ? { worst: { code: worst.code, severity: worst.severity, title: worst.title, fix: worst.fix } }
      : {}),
  };
}
