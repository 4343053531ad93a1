import { brokenBy, type Evidence, type Verdict } from '#shared/model/verdict';
import { splitValues, valuesOf } from '../../../web/fields.ts';
import type { PageFacts, HopFacts } from '../facts/page.ts';

/** Request fields that say something of the visitor, as the visitor would call it. Cookie is left out: nearly every site with logins names it. */
const subjects: readonly (readonly [field: RegExp, subject: string])[] = [
  [/^(?:user-agent|sec-ch-.+|device-memory|x-device(?:-type)?|x-ua-device)$/, 'the browser or device'],
  [/^(?:accept-language|x-lang(?:uage)?|x-locale)$/, 'the language'],
  [/^(?:cf-ipcountry|cloudfront-viewer-country|x-country(?:-code)?|x-geo(?:-country)?)$/, 'the country'],
  [/^\*$/, 'more than the request shows'],
];
const languagePath = /^\/[a-z]{2}(?:[-_][a-z]{2})?(?:\/|$)/i;
const mobileHost = /^(?:m|mobile)\./;

/** Tells by what the page differs, as far as its own answers say so; other visitors may then meet other headers. */
export function judgeVisitor(hops: readonly HopFacts[], page: PageFacts): Verdict {
  return brokenBy([...findVaried(page), ...hops.flatMap((hop, at) => findChosen(hop, hops[at + 1]))]);
}

function findVaried({ index, hop, fields }: PageFacts): Evidence[] {
  const names = splitValues(valuesOf(fields, 'vary')).map((name) => name.trim().toLowerCase());
  return subjects.flatMap(([field, subject]) => {
    const found = names.find((name) => field.test(name));
    return found === undefined
      ? []
      : [{ hop: index, url: hop.url, subject, reason: `Vary names ${found.slice(0, 100)}` }];
  });
}

// A front page that leads to one language or to a page for phones has chosen it by who asked.
function findChosen(from: HopFacts, to: HopFacts | undefined): Evidence[] {
  if (!to || to.chain !== from.chain || from.url.pathname !== '/') return [];
  const seen = { hop: from.index, url: from.hop.url };
  const { hostname, pathname } = to.url;
  return [
    ...(languagePath.test(pathname)
      ? [{ ...seen, subject: 'the language', reason: `it leads to ${pathname.slice(0, 100)}` }]
      : []),
    ...(mobileHost.test(hostname) && !mobileHost.test(from.url.hostname)
      ? [{ ...seen, subject: 'the browser or device', reason: `it leads to ${hostname}` }]
      : []),
  ];
}
