import type { CheckName } from '../../../catalogue/registry.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { waterfall } from '../waterfall.ts';
import { drawDns } from './dns-check.ts';
import { drawHealth } from './domain-health.ts';
import type { Links } from './figure.ts';
import { headerFields } from './header-fields.ts';
import { drawSpeed } from './pagespeed-check.ts';
import { drawHeaders } from './security-headers.ts';
import { drawMail } from './smtp-check.ts';
import { drawTls } from './ssl-check.ts';

/** What people would rather look at than read, of each check. */
const drawers: { readonly [check: string]: Draw } = {
  'dns-check': drawDns,
  'domain-health': drawHealth,
  'pagespeed-check': drawSpeed,
  'redirect-check': (report) => markup`${waterfall(report)}${headerFields(report)}`,
  'security-header-check': drawHeaders,
  'smtp-check': drawMail,
  'ssl-check': drawTls,
} satisfies { readonly [check in CheckName]: Draw };

type Draw = (report: Report, links: Links) => Markup;

/** The pictures of a report; nothing where its fields are not those of its check. */
export function pictures(report: Report, links: Links): Markup {
  const draw = Object.hasOwn(drawers, report.check) ? drawers[report.check] : undefined;
  return draw ? draw(report, links) : nothing;
}
