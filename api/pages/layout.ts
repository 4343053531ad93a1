import { type Markup, markup, nothing, printMarkup } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { iconFile, scriptFile, styleFile } from './assets.ts';

/** A page of the service, before it is text. */
export type Page = {
  /** Prefix of every link. */
  readonly base: string;
  readonly title: string;
  /** One sentence for previews; never text of a target beside its name. */
  readonly description: string;
  readonly main: Markup;
  /** More of the head, such as when to ask again. */
  readonly head?: Markup;
  /** Only the first page is for search engines. */
  readonly isIndexed?: boolean;
};

const longestTitle = 120;

/** The whole page: head, the bar with the way home, and the main part. */
export function renderPage({
  base,
  title,
  description,
  main,
  head = nothing,
  isIndexed = false,
}: Page): string {
  const shortTitle = clip(title, longestTitle);
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shortTitle}</title>
<meta name="description" content="${description}">
${
  isIndexed
    ? nothing
    : markup`<meta name="robots" content="noindex">
`
}<meta property="og:type" content="website">
<meta property="og:site_name" content="Diagnostic Tools">
<meta property="og:title" content="${shortTitle}">
<meta property="og:description" content="${description}">
<link rel="icon" href="${base}/assets/${iconFile}" type="image/svg+xml">
<link rel="stylesheet" href="${base}/assets/${styleFile}">
<script src="${base}/assets/${scriptFile}" defer></script>
${head}</head>
<body class="site">
<a class="skip" href="#main">Skip to the content</a>
<nav class="top" aria-label="Diagnostic Tools"><a class="brand" href="${base}/">Diagnostic Tools</a>
<ul><li><a href="${base}/">New check</a></li><li><a href="${base}/docs">API</a></li></ul></nav>
<main id="main" tabindex="-1">
${main}</main>
<footer><p>Checks ask only what any visitor could ask. Reports are deleted after a while, and nothing of this page is loaded from elsewhere.</p></footer>
</body>
</html>
`);
}
