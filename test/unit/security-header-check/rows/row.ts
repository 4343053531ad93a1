import type { HeaderCode } from '#shared/catalogue/security-header-check/rules';
import type { HeaderEvidence } from '../../../../worker/checks/security-header-check/evidence.ts';

/** One fact. `broken` lists exactly the findings above info; `info` and `holds` must be among theirs. */
export type Row = {
  readonly name: string;
  readonly evidence: HeaderEvidence;
  readonly broken: readonly HeaderCode[];
  readonly info?: readonly HeaderCode[];
  readonly holds?: readonly HeaderCode[];
  readonly notTested?: readonly HeaderCode[];
  readonly notApplicable?: readonly HeaderCode[];
  readonly score?: number | null;
};
