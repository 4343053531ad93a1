import { block, type Markup, markup } from '#shared/render/markup';

/** The same request in three languages; nothing in it needs an escape, as the address is percent-encoded. */
export function samples(address: string): Markup {
  const url = address.replaceAll("'", '%27');
  const texts = [
    ['curl', `curl '${url}'`],
    [
      'JavaScript',
      `const answer = await fetch('${url}');\nconst report = await answer.json();\nconsole.log(report.grade, report.findings);`,
    ],
    [
      'Python',
      `import json, urllib.request\n\nwith urllib.request.urlopen('${url}') as answer:\n    report = json.load(answer)\nprint(report['grade'], len(report['findings']))`,
    ],
  ] as const;
  return markup`${texts.map(
    ([name, text]) => markup`<p><b>${name}</b></p>
<pre><code>${block(text)}</code></pre>
`,
  )}`;
}
