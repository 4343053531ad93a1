import { isParseable, type Robots } from '../../../web/robots.ts';
import type { FoundSecurityTxt, SecurityTxtObservation } from '../facts/security-txt.ts';
import type { SiteFile } from '../facts/site-file.ts';
import { valuesOfField } from '../grammar/security-txt.ts';

const valueLimit = 500;

/** security.txt as the report shows it. */
export function reportSecurityTxt({ file }: SecurityTxtObservation) {
  if (file.state !== 'found') return reportUnseen(file);
  const all = (name: string) =>
    valuesOfField(file.content, name)
      .slice(0, 20)
      .map((value) => value.slice(0, valueLimit));
  return {
    ...reportFound(file),
    signed: file.content.signed,
    contacts: all('contact'),
    expires: all('expires')[0] ?? null,
    canonical: all('canonical'),
    languages: all('preferred-languages')[0] ?? null,
    policy: all('policy'),
    encryption: all('encryption'),
  };
}

/** robots.txt as the report shows it. */
export function reportRobots(file: SiteFile<Robots>) {
  if (file.state !== 'found') return reportUnseen(file);
  const { groups, rules, disallowsAll, sitemaps, sitemapCount } = file.content;
  return {
    ...reportFound(file),
    parseable: isParseable(file.content),
    groups,
    rules,
    disallowsAll,
    sitemaps,
    sitemapCount,
  };
}

function reportUnseen({ state, url, why }: Extract<SiteFile<unknown>, { why: string }>) {
  return { state, url: url.slice(0, valueLimit), reason: why };
}

function reportFound({ state, url, status, contentType, sizeBytes, cut }: SiteFileFound) {
  return {
    state,
    url: url.slice(0, valueLimit),
    status,
    contentType: contentType.slice(0, valueLimit),
    sizeBytes,
    whole: cut === null,
  };
}

type SiteFileFound = Omit<FoundSecurityTxt, 'content'>;
