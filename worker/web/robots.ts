/** What a robots.txt says to all crawlers (RFC 9309). JSON. */
export type Robots = {
  /** Groups that begin with User-agent lines. */
  readonly groups: number;
  /** Allow and Disallow lines. */
  readonly rules: number;
  /** The rules for all crawlers forbid every address. */
  readonly disallowsAll: boolean;
  /** The first 20. */
  readonly sitemaps: readonly string[];
  readonly sitemapCount: number;
  /** Lines that are no field at all. */
  readonly faultyLines: number;
};

type RobotsState = {
  groups: number;
  rules: number;
  sitemaps: string[];
  sitemapCount: number;
  faultyLines: number;
  /** Of the group that is read: whether it is for all crawlers, and whether its rules have begun. */
  isForAll: boolean;
  hasRules: boolean;
  forbidsRoot: boolean;
  allowsAny: boolean;
};

/** Reads a robots.txt. Linear in the text's length. */
export function parseRobots(text: string): Robots {
  const reading: RobotsState = {
    groups: 0,
    rules: 0,
    sitemaps: [],
    sitemapCount: 0,
    faultyLines: 0,
    isForAll: false,
    hasRules: true,
    forbidsRoot: false,
    allowsAny: false,
  };
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) readLine(line, reading);
  const { groups, rules, sitemaps, sitemapCount, faultyLines, forbidsRoot, allowsAny } = reading;
  return { groups, rules, disallowsAll: forbidsRoot && !allowsAny, sitemaps, sitemapCount, faultyLines };
}

function readLine(text: string, reading: RobotsState): void {
  const line = text.split('#', 1)[0]?.trim() ?? '';
  if (line === '') return;
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  if (/^[a-z][a-z_-]{0,40}$/.test(name)) readField(name, line.slice(colon + 1).trim(), reading);
  else reading.faultyLines += 1;
}

function readField(name: string, value: string, reading: RobotsState): void {
  if (name === 'user-agent') readAgent(value, reading);
  else if (name === 'allow' || name === 'disallow') readRule(name, value, reading);
  else if (name === 'sitemap') {
    reading.sitemapCount += 1;
    if (reading.sitemaps.length < 20) reading.sitemaps.push(value.slice(0, 500));
  }
}

// User-agent lines that follow each other share the rules behind them; groups for one crawler are added up.
function readAgent(value: string, reading: RobotsState): void {
  if (reading.hasRules) {
    reading.groups += 1;
    reading.isForAll = false;
    reading.hasRules = false;
  }
  reading.isForAll ||= value === '*';
}

function readRule(name: 'allow' | 'disallow', value: string, reading: RobotsState): void {
  reading.rules += 1;
  reading.hasRules = true;
  if (!reading.isForAll || value === '') return;
  if (name === 'allow') reading.allowsAny = true;
  else reading.forbidsRoot ||= value === '/' || value === '/*' || value === '*';
}

/** True where a crawler finds something to obey, or an empty file, which allows everything. */
export function isParseable({ groups, rules, sitemapCount, faultyLines }: Robots): boolean {
  return groups + rules + sitemapCount > 0 || faultyLines === 0;
}
