import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { catalogue } from '#shared/catalogue/registry';
import { codesBroken, type Json } from '#shared/model/verdict';
import { findCheck } from '../../worker/checks/registry.ts';

type LockedCheck = {
  readonly rulesVersion: number;
  /** Code → severity and points. */
  readonly rules: Readonly<Record<string, string>>;
  /** Fixture of evidence → what it breaks. */
  readonly findings: Readonly<Record<string, readonly string[]>>;
};

/** What each check's rules say today. Clients that keep reports or compare them rely on it. */
export type RulesLock = Readonly<Record<string, LockedCheck>>;

/** Where the lock is kept, in the project. */
export const rulesLockPath = 'rules.lock.json';

const fixtures = 'test/fixtures/';

/** Makes rules.lock.json from the tables, and from what they find in every fixture. */
export async function makeRulesLock(): Promise<RulesLock> {
  const checks = await Promise.all(
    catalogue.map(async ({ name, rules, rulesVersion }) => [
      name,
      {
        rulesVersion,
        rules: Object.fromEntries(
          Object.entries(rules).map(([code, { severity, points }]) => [code, `${severity} ${points}`]),
        ),
        findings: await judgeFixtures(name),
      },
    ]),
  );
  return Object.fromEntries(checks) as RulesLock;
}

/**
 * Checks whose rules differ from what was locked although their version is the same: a report of today and one of yesterday would be
 * compared as if the target had changed.
 */
export function findUnraised(locked: RulesLock, now: RulesLock): readonly string[] {
  return Object.entries(now).flatMap(([name, check]) => {
    const before = locked[name];
    const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(check);
    return isSame || check.rulesVersion > before.rulesVersion ? [] : [name];
  });
}

async function judgeFixtures(name: string): Promise<LockedCheck['findings']> {
  const check = await findCheck(name);
  const folder = `${fixtures}${name}/`;
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  return Object.fromEntries(
    files.sort().map((file) => {
      const evidence = JSON.parse(readFileSync(folder + file, 'utf8')) as Json;
      const assessment = check?.assess(evidence);
      return [file, assessment ? codesBroken(assessment.verdicts) : []];
    }),
  );
}
