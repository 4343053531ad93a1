import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { readOptions as readCheckOptions } from '#shared/catalogue/read-options';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Job } from '#shared/model/job';
import { type Fault, Problem } from '#shared/model/problem';
import type { JobKeyOf } from '#shared/queue/job-keys';
import { judgePort, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import { noPreferences, type Preferences, readPreferences } from './preferences.ts';
import { describeFaults, type Query, rawQueryOf, readQuery } from './read-query.ts';
import { readTarget } from './read-target.ts';

/** What a caller asks of a tool, understood. */
export type Ask = {
  /** In normal form. */
  readonly target: string;
  /** The unit of the per-host limit. */
  readonly host: string;
  readonly options: Job['options'];
  readonly jobKey: string;
  /** The key of a report that this one can be judged from without a run. */
  readonly sourceKey?: string;
  /** What the key was made with beside the question; part of the job, for the worker that makes it again. */
  readonly keyVersion: string;
  /** Whose reports alone may answer; undefined: everybody's. */
  readonly owner: string | undefined;
  readonly freshness: Freshness;
  /** Seconds that the caller lets us wait; undefined: the check's own. */
  readonly waitS: number | undefined;
  /** What of Prefer was heeded, for Preference-Applied. */
  readonly applied: string;
};

/** How old an answer may be: still fresh; at most so many seconds; or only what is stored. */
export type Freshness = { readonly maxAgeS: number | undefined; readonly onlyIfCached: boolean };

export const waitLimitS = 55;
const maxAgeLimitS = 31_536_000;
/** What `wait` and `maxAge` may say; the OpenAPI document has the same. */
export const waitText = /^(?:[0-4]?[0-9]|5[0-5])$/;
export const maxAgeText =
  /^(?:[0-9]{1,7}|[12][0-9]{7}|30[0-9]{6}|31[0-4][0-9]{5}|315[0-2][0-9]{4}|3153[0-5][0-9]{3}|31536000)$/;

/** What of a request is read to understand it: a page asks in the same words, without a request of its own. */
export type AskRequest = Pick<IncomingMessage, 'url' | 'headers'>;

/** Understands requests for a tool. */
export type ReadAsk = {
  /** Or throws the Problem that names every fault. */
  (spec: CheckSpec, request: AskRequest, owner: Ask['owner']): Ask;
  /** Or gives that Problem: V8 takes longer for a throw than for the whole reading. */
  orProblem(spec: CheckSpec, request: AskRequest, owner: Ask['owner']): Ask | Problem;
  /** The jobKey of an address that was understood before and asks for nothing but the usual. */
  recallPlain(url: string, owner: Ask['owner']): string | undefined;
};

/** Batches repeat their GETs by the thousand: what an address says is understood once. Callers choose these texts, so they have a budget in bytes. */
const memoryBytes = 16 * 1024 * 1024;
/** Longer ones are read anew each time: few repeat them, and each would push out a hundred others. */
const longestKept = 1024;
/** Measured: V8 holds 500 bytes for an address of 70 characters, and RSS grows by 1,250 (`npm run bench memory`). */
const objectBytes = 768;

const allOffered = (_spec: CheckSpec): boolean => true;

/** Makes the reader of requests. @param isOffered whether the operator has a check switched on */
export function openAskReader(policy: TargetPolicy, jobKeyOf: JobKeyOf, isOffered = allOffered): ReadAsk {
  const understood = new LRUCache<string, Understood>({
    maxSize: memoryBytes,
    sizeCalculation: (_understood, address) => objectBytes + address.length * 3,
  });
  let revision = policy.denied?.revision();
  // What was understood before a name came onto the list of those that are not checked is to be judged again.
  const recall = (url: string): Understood | undefined => {
    const now = policy.denied?.revision();
    if (now !== revision) understood.clear();
    revision = now;
    return understood.get(url);
  };
  const orProblem: ReadAsk['orProblem'] = (spec, request, owner) => {
    if (!isOffered(spec)) return toolDisabled(spec);
    const { url = '' } = request;
    const known = recall(url);
    const asked = known ?? understand(spec, url, policy, jobKeyOf);
    if (asked instanceof Problem) return asked;
    if (!known && isWorthKeeping(url)) understood.set(url, asked);
    const prefer = request.headers['prefer'];
    const cacheControl = request.headers['cache-control'];
    const preferences =
      prefer === undefined && cacheControl === undefined
        ? noPreferences
        : readPreferences(asText(prefer), cacheControl);
    const { target, host, options, times } = asked;
    return {
      target,
      host,
      options,
      ...keyFor(asked, owner, jobKeyOf),
      ...sourceKeyFor(asked, owner, jobKeyOf),
      owner,
      freshness: freshnessOf(times, preferences),
      ...waitOf(times.waitS, preferences),
    };
  };
  const recallPlain: ReadAsk['recallPlain'] = (url, owner) => {
    const known = recall(url);
    const isPlain = known && !known.times.isFresh && known.times.maxAgeS === undefined;
    return isPlain ? keyFor(known, owner, jobKeyOf).jobKey : undefined;
  };
  const readAsk = (spec: CheckSpec, request: AskRequest, owner: Ask['owner']): Ask => {
    const ask = orProblem(spec, request, owner);
    if (ask instanceof Problem) throw ask;
    return ask;
  };
  return Object.assign(readAsk, { orProblem, recallPlain });
}

function toolDisabled({ name, switchedOnBy }: CheckSpec): Problem {
  return new Problem(
    'tool_disabled',
    `${name} is not offered here. Its operator switches it on by ${switchedOnBy}.`,
  );
}

// Empty pairs ("&&") give one question endless spellings.
function isWorthKeeping(address: string): boolean {
  return address.length <= longestKept && !address.includes('&&') && !address.endsWith('&');
}

type Understood = Pick<Ask, 'target' | 'host' | 'options' | 'jobKey' | 'keyVersion'> & {
  readonly spec: CheckSpec;
  readonly times: AskTimes;
};

/** The key of the question; one of an account's own is made each time, as one address may be asked by any number of them. */
function keyFor(
  { spec, target, options, jobKey, keyVersion }: Understood,
  owner: Ask['owner'],
  jobKeyOf: JobKeyOf,
): Pick<Ask, 'jobKey' | 'keyVersion'> {
  if (owner === undefined) return { jobKey, keyVersion };
  return { jobKey: jobKeyOf(spec, target, options, owner), keyVersion: jobKeyOf.versionOf(spec, owner) };
}

function sourceKeyFor(
  { spec, target, options }: Understood,
  owner: Ask['owner'],
  jobKeyOf: JobKeyOf,
): Pick<Ask, 'sourceKey'> {
  const source = spec.judgedFrom?.source(options);
  return source ? { sourceKey: jobKeyOf(spec, target, source, owner) } : {};
}

/** Reads what the address alone says. */
function understand(
  spec: CheckSpec,
  url: string,
  policy: TargetPolicy,
  jobKeyOf: JobKeyOf,
): Understood | Problem {
  const query = readQuery(rawQueryOf({ url }), knownNames(spec), spec.repeatable);
  const faults: Fault[] = [...query.faults];
  const read = readTarget(spec, url, query, policy);
  const hasOwnFault = faults.some(({ name }) => name === 'url');
  if (!read.ok && read.kind === 'malformed' && !hasOwnFault) faults.push(read.fault);
  const options = readOptions(spec, query, faults);
  const times = readTimes(query, faults);
  if (faults.length > 0) return new Problem('invalid_request', describeFaults(faults), { errors: faults });
  const refused = [...(read.ok ? [] : [read.fault]), ...judgePortOption(spec, options, policy)];
  if (!read.ok || refused.length > 0)
    return new Problem('target_not_allowed', describeFaults(refused), { errors: refused });
  const { target, host } = read;
  return {
    spec,
    target,
    host,
    options,
    times,
    jobKey: jobKeyOf(spec, target, options, undefined),
    keyVersion: jobKeyOf.versionOf(spec, undefined),
  };
}

function asText(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? field : field?.join(', ');
}

function knownNames({ targetKind, options }: CheckSpec): readonly string[] {
  return [...(targetKind === 'url' ? ['url'] : []), ...Object.keys(options.shape), 'wait', 'fresh', 'maxAge'];
}

type AskTimes = {
  readonly waitS: number | undefined;
  readonly maxAgeS: number | undefined;
  readonly isFresh: boolean;
};

// The query beats the header: it is what a person typed.
function freshnessOf(
  { isFresh, maxAgeS }: AskTimes,
  { noCache, maxAgeS: headerMaxAgeS, onlyIfCached }: Preferences,
): Freshness {
  if (isFresh) return { maxAgeS: 0, onlyIfCached };
  return { maxAgeS: maxAgeS ?? (noCache ? 0 : headerMaxAgeS), onlyIfCached };
}

function waitOf(
  queryS: number | undefined,
  { respondAsync, waitS }: Preferences,
): Pick<Ask, 'waitS' | 'applied'> {
  if (queryS !== undefined) return { waitS: queryS, applied: '' };
  const limited = waitS === undefined ? undefined : Math.min(waitS, waitLimitS);
  const applied = [respondAsync ? ['respond-async'] : [], limited === undefined ? [] : [`wait=${limited}`]]
    .flat()
    .join(', ');
  return { waitS: limited ?? (respondAsync ? 0 : undefined), applied };
}

function readOptions(spec: CheckSpec, { values }: Query, faults: Fault[]): Job['options'] {
  const given = Object.fromEntries(
    Object.keys(spec.options.shape).flatMap((name) => {
      const sent = values.get(name);
      return sent ? [[name, spec.repeatable.includes(name) ? [...new Set(sent)].sort() : sent[0]]] : [];
    }),
  );
  const read = readCheckOptions(spec, given);
  if ('options' in read) return read.options;
  faults.push(
    ...read.issues.map((issue): Fault => ({
      in: 'query',
      name: String(issue.path[0]),
      detail: issue.message,
    })),
  );
  return {};
}

function judgePortOption({ portOption }: CheckSpec, options: Job['options'], policy: TargetPolicy): Fault[] {
  if (portOption === undefined) return [];
  const why = judgePort(Number(options[portOption]), policy);
  return why === undefined
    ? []
    : [{ in: 'query', name: portOption, detail: tellFault({ why: `it ${why}` }) }];
}

function readTimes({ values }: Query, faults: Fault[]): AskTimes {
  const read = (name: string, pattern: RegExp, limit: number): number | undefined => {
    const [text] = values.get(name) ?? [];
    if (text === undefined) return undefined;
    if (pattern.test(text)) return Number(text);
    faults.push({ in: 'query', name, detail: `Give whole seconds from 0 to ${limit}.` });
    return undefined;
  };
  const [fresh] = values.get('fresh') ?? [];
  if (fresh !== undefined && fresh !== '1')
    faults.push({ in: 'query', name: 'fresh', detail: 'Give 1, or leave it out.' });
  return {
    waitS: read('wait', waitText, waitLimitS),
    maxAgeS: read('maxAge', maxAgeText, maxAgeLimitS),
    isFresh: fresh === '1',
  };
}
