import type { Report } from '../../model/report.ts';
import { checkNameOf } from '../check-words.ts';
import { markup, nothing, printMarkup, verbatim } from '../markup.ts';
import { targetOf, timeWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { reportBody } from './report-body.ts';
import { metaPolicy, style } from './style.ts';

const longestTarget = 500;

/** One page that needs nothing else: no script, one style sheet, charts as SVG. Send it with `htmlPolicy`. */
export function renderHtml(report: Report): string {
  const name = cut(checkNameOf(report.check), longestTarget);
  const target = cut(targetOf(report), longestTarget);
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${metaPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${name}: ${target}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<main>
${reportBody(report, {
  name,
  scores: [],
  changes: undefined,
  links: {},
  actions: nothing,
})}</main>
<footer><p>Made by Diagnostic Tools from the report that was stored then. Kept until ${timeWords(report.expiresAt)}.</p></footer>
</body>
</html>
`);
}
