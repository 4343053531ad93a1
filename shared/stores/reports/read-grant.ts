import type { Grant } from '../../model/grant.ts';
import { type StoredFields, readInteger, readNumberOrNull, readText, readTextOrNull } from './fields.ts';

/** The grant of a row. Throws for a row that does not fit. By hand: a schema took as long for a page as the query. */
export function readGrant(row: StoredFields): Grant {
  return {
    reportId: readText(row, 'reportId'),
    check: readText(row, 'check'),
    target: readText(row, 'target'),
    checkedAt: readInteger(row, 'checkedAt'),
    expiresAt: readInteger(row, 'expiresAt'),
    score: readNumberOrNull(row, 'score'),
    grade: readTextOrNull(row, 'grade'),
    state: readText(row, 'state'),
    options: readTextOrNull(row, 'options'),
    rulesVersion: readNumberOrNull(row, 'rulesVersion'),
  };
}
