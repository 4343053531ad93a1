import type { CheckSpec } from '#shared/catalogue/spec';
import type { Report } from '#shared/model/report';
import { targetOf } from '#shared/render/report-words';
import { linkTo } from '#shared/render/visible-text';
import { pagePath } from '../api/pages/page-desk.ts';
import { type ServerOptions, serverOf, tokenOf } from './connection.ts';

/**
 * Makes what tells where a browser shows a report. A report that was given to a caller without a token has a page of its own; one that a
 * token was given is found by its target, where its visitor signs in.
 * @param own the check's own options of this run
 */
export function openReportPages(
  spec: CheckSpec,
  options: ServerOptions,
  own: Readonly<Record<string, unknown>>,
): (report: Report) => string | undefined {
  const server = serverOf(options).replace(/\/+$/, '');
  const hasToken = tokenOf(options) !== undefined;
  const query = new URLSearchParams();
  for (const name of Object.keys(spec.options.shape))
    for (const value of [own[name]].flat())
      if (typeof value === 'string' || typeof value === 'number') query.append(name, String(value));
  return (report) => {
    if (report.reportId !== undefined && !hasToken) return linkTo(`${server}/r/${report.reportId}`);
    return linkTo(`${server}${pagePath(spec.name, targetOf(report), query.toString())}`);
  };
}
