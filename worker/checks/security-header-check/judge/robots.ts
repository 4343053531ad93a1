import { robotsRules } from '#shared/catalogue/security-header-check/rules/site-files';
import { allOf, notTested, type Verdicts } from '#shared/model/verdict';
import { isParseable, type Robots } from '../../../web/robots.ts';
import type { SiteFile } from '../facts/site-file.ts';
import { brokenWhen, cut } from './verdict-tables.ts';

/** Judges robots.txt. A site without one has nothing to forbid. */
export function judgeRobots(file: SiteFile<Robots>): Verdicts<keyof typeof robotsRules> {
  if (file.state === 'not-tested') return allOf(robotsRules, notTested(file.why));
  const url = cut(file.url);
  if (file.state === 'absent')
    return {
      'robots-disallows-all': 'not-applicable',
      'robots-not-parseable':
        file.status === undefined
          ? 'not-applicable'
          : brokenWhen({ url, status: file.status, reason: file.why }),
    };
  const { content, status } = file;
  const reason = 'none of its lines is a field';
  return {
    'robots-disallows-all': brokenWhen(content.disallowsAll && { url }),
    'robots-not-parseable': brokenWhen(!isParseable(content) && { url, status, reason }),
  };
}
