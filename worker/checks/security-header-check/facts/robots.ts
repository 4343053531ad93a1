import type { Robots } from '../../../web/robots.ts';
import type { HeaderEvidence } from '../evidence.ts';
import { readSiteFile, type SiteFile } from './site-file.ts';

/** Reads what came of asking for robots.txt. */
export function readRobots({ files, url }: Pick<HeaderEvidence, 'files' | 'url'>): SiteFile<Robots> {
  return files ? readSiteFile(files.robots) : { state: 'not-tested', url, why: 'the file was not asked for' };
}
