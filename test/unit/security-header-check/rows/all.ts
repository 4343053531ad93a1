import { contentRows } from './content.ts';
import { cookieRows } from './cookies.ts';
import { crossOriginRows } from './cross-origin.ts';
import { cspRows } from './csp.ts';
import { framingRows } from './framing.ts';
import { leakageRows } from './leakage.ts';
import type { Row } from './row.ts';
import { siteFileRows } from './site-files.ts';
import { transportRows } from './transport.ts';

/** Every row, by subject. */
export const rows: readonly Row[] = [
  ...transportRows,
  ...cspRows,
  ...framingRows,
  ...cookieRows,
  ...crossOriginRows,
  ...contentRows,
  ...leakageRows,
  ...siteFileRows,
];
