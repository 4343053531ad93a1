import { makeOpenapi } from '../../api/descriptions/document.ts';
import { formatTypes } from '../../client/types/format-types.ts';
import { makeTypes, type OpenapiDocument } from '../../client/types/make-types.ts';
import { makeChecksPage } from './checks-page.ts';
import { comparedPath, makeComparedPage } from './compared-page.ts';
import { makeGoldenReports } from './golden-reports.ts';
import { makeOpenapiLock, openapiLockPath } from './openapi-lock.ts';
import { makeScoringPage } from './scoring-page.ts';
import { makeEnvExample, makeSettingsPage } from './settings-docs.ts';
import { makeCallersPage } from './writes-table.ts';

/** What is generated, and kept so that a change is read in review: path in the project → its text. A test compares them. */
export async function makeDocs(): Promise<ReadonlyMap<string, string>> {
  const openapi = makeOpenapi();
  return new Map([
    [openapiLockPath, `${JSON.stringify(makeOpenapiLock(openapi), null, 1)}\n`],
    ['client/api-types.ts', formatTypes(makeTypes(openapi as unknown as OpenapiDocument))],
    ['docs/checks.md', makeChecksPage()],
    ['docs/scoring.md', makeScoringPage()],
    [comparedPath, makeComparedPage()],
    ['.env.example', makeEnvExample()],
    ['docs/settings.md', makeSettingsPage()],
    ['docs/callers.md', makeCallersPage()],
    ...(await makeGoldenReports()),
  ]);
}
