import type { HeaderEvidence } from '../evidence.ts';
import type { Robots } from '../grammar/robots.ts';
import { readSiteFile, type SiteFile } from './site-file.ts';

/** Reads what came of asking for robots.txt. */
export function readRobots({ files, url }: Pick<HeaderEvidence, 'files' | 'url'>): SiteFile<Robots> {
  return files ? readSiteFile(files.robots) : { state: 'not-tested', url, why: 'the file was not asked for' };
}

/** True where a crawler finds something to obey, or an empty file, which allows everything. */
export function isParseable({ groups, rules, sitemapCount, faultyLines }: Robots): boolean {
  return groups + rules + sitemapCount > 0 || faultyLines === 0;
}
