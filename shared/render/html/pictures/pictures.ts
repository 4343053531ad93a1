import type { Report } from '../../../model/report.ts';
import { type Markup, nothing } from '../../markup.ts';
import { waterfall } from '../waterfall.ts';

/** Where another report can be read; undefined where there is no such page. */
export type LinkOfReport = ((reportId: string) => string) | undefined;

/** What people would rather look at than read, of each check. */
const drawers: { readonly [check: string]: (report: Report, linkOfReport: LinkOfReport) => Markup } = {
  'redirect-check': waterfall,
};

/** The pictures of a report; nothing where its fields are not those of its check. */
export function pictures(report: Report, linkOfReport: LinkOfReport): Markup {
  const draw = Object.hasOwn(drawers, report.check) ? drawers[report.check] : undefined;
  return draw ? draw(report, linkOfReport) : nothing;
}
