import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { GivenQuestion, Question, Questions } from '#shared/ask/question';
import type { CheckSpec } from '#shared/catalogue/spec';
import { codeText } from '#shared/model/finding';
import { type InputError, Problem } from '#shared/model/problem';
import { noPreferences, type Preferences, readPreferences } from './preferences.ts';
import { decodeSegment, type Query, rawQueryOf, readQuery } from './read-query.ts';

/** What a caller asks of a tool, understood. */
export type Ask = {
  readonly question: Question;
  readonly age: AgeAsked;
  /** The finding whose check alone is to be made again. */
  readonly recheck: string | undefined;
  /** Seconds that the caller lets us wait; undefined: the check's own. */
  readonly waitS: number | undefined;
  /** What of Prefer was heeded, for Preference-Applied. */
  readonly applied: string;
};

/** How old an answer may be: still fresh; at most so many seconds; or only what is stored. */
export type AgeAsked = { readonly maxAgeS: number | undefined; readonly onlyIfCached: boolean };

export const waitLimitS = 55;
const maxAgeLimitS = 31_536_000;
/** What `wait` and `maxAge` may say; the OpenAPI document has the same. */
export const waitText = /^(?:[0-4]?[0-9]|5[0-5])$/;
export const maxAgeText =
  /^(?:[0-9]{1,7}|[12][0-9]{7}|30[0-9]{6}|31[0-4][0-9]{5}|315[0-2][0-9]{4}|3153[0-5][0-9]{3}|31536000)$/;

type Owner = Question['owner'];

/** The part of a request that says what is asked: a page has it in an address of its own. */
export type ToolAddress = {
  /** The domain as it stands in the path; not read for a check of URLs. */
  readonly segment: string;
  /** The query as it was sent. */
  readonly query: string;
};

/** Understands requests for a tool. */
export type ReadAsk = {
  /** Gives the Problem that names every fault: V8 takes longer for a throw than for the whole reading. */
  (spec: CheckSpec, request: Pick<IncomingMessage, 'url' | 'headers'>, owner: Owner): Ask | Problem;
  /** The question of an address that a page has; it says nothing of waiting. */
  ofAddress(spec: CheckSpec, address: ToolAddress, owner: Owner): Question | Problem;
  /** The jobKey of an address that was understood before and asks for nothing but the usual. */
  recallPlain(url: string, owner: Owner): string | undefined;
};

/** Batches repeat their GETs by the thousand: what an address says is understood once. Callers choose these texts, so they have a budget in bytes. */
const memoryBytes = 16 * 1024 * 1024;
/** Longer ones are read anew each time: few repeat them, and each would push out a hundred others. */
const longestKept = 1024;
/** Measured: V8 holds 500 bytes for an address of 70 characters, and RSS grows by 1,250 (`npm run bench memory`). */
const objectBytes = 768;

/** Makes the reader of requests. */
export function openAskReader(questions: Questions): ReadAsk {
  const understood = new LRUCache<string, Understood>({
    maxSize: memoryBytes,
    sizeCalculation: (_understood, address) => objectBytes + address.length * 3,
  });
  let revision = questions.revision();
  const recall = (url: string): Understood | undefined => {
    const now = questions.revision();
    if (now !== revision) understood.clear();
    revision = now;
    return understood.get(url);
  };
  // One of an account's own is made each time, as one address may be asked by any number of them.
  const ownedBy = ({ question }: Understood, owner: Owner): Question =>
    owner === undefined ? question : questions.of(question.spec, question, owner);
  const readAsk = (
    spec: CheckSpec,
    { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
    owner: Owner,
  ): Ask | Problem => {
    const disabled = questions.refusalOf(spec);
    if (disabled) return disabled;
    const known = recall(url);
    const asked = known ?? understand(questions, spec, addressIn(url));
    if (asked instanceof Problem) return asked;
    if (!known && isWorthKeeping(url)) understood.set(url, asked);
    const prefer = headers['prefer'];
    const cacheControl = headers['cache-control'];
    const preferences =
      prefer === undefined && cacheControl === undefined
        ? noPreferences
        : readPreferences(asText(prefer), cacheControl);
    const { times } = asked;
    return {
      question: ownedBy(asked, owner),
      age: ageOf(times, preferences),
      recheck: times.recheck,
      ...waitOf(times.waitS, preferences),
    };
  };
  return Object.assign(readAsk, {
    ofAddress(spec: CheckSpec, address: ToolAddress, owner: Owner) {
      const asked = understand(questions, spec, address);
      return asked instanceof Problem ? asked : ownedBy(asked, owner);
    },
    recallPlain(url: string, owner: Owner) {
      const known = recall(url);
      return known && isPlain(known) ? ownedBy(known, owner).jobKey : undefined;
    },
  });
}

/** Whether it says nothing of how old the answer may be. */
function isPlain({ times: { maxAgeS, isFresh, recheck } }: Understood): boolean {
  return maxAgeS === undefined && !isFresh && recheck === undefined;
}

function addressIn(url: string): ToolAddress {
  const [path = ''] = url.split(/[?#]/, 1);
  return { segment: path.slice(path.lastIndexOf('/') + 1), query: rawQueryOf({ url }) };
}

// Empty pairs ("&&") give one question endless spellings.
function isWorthKeeping(address: string): boolean {
  return address.length <= longestKept && !address.includes('&&') && !address.endsWith('&');
}

type Understood = { readonly question: Question; readonly times: AskTimes };

/** Reads what the address alone says. */
function understand(questions: Questions, spec: CheckSpec, address: ToolAddress): Understood | Problem {
  const query = readQuery(address.query, knownNames(spec), spec.repeatable);
  const ofTimes: InputError[] = [];
  const times = readTimes(query, ofTimes);
  const hasOwnFault = query.faults.some(({ name }) => name === 'url');
  const given = {
    target: hasOwnFault ? undefined : textOfTarget(spec, address, query),
    options: givenOptions(spec, query),
    place: placesOf(spec),
    told: { before: query.faults, after: ofTimes },
  };
  const question = questions.read(spec, given, undefined);
  return question instanceof Problem ? question : { question, times };
}

/** Where the faults of a tool's target and options are. */
export function placesOf(spec: CheckSpec): GivenQuestion['place'] {
  return (about) => (about === 'target' ? placeOf(spec) : { in: 'query', name: about.option });
}

/** The parameter of a tool that names its target. */
function placeOf({ targetKind }: CheckSpec): Pick<InputError, 'in' | 'name'> {
  return targetKind === 'url' ? { in: 'query', name: 'url' } : { in: 'path', name: 'domain' };
}

function textOfTarget(spec: CheckSpec, { segment }: ToolAddress, { values }: Query): string | InputError {
  if (spec.targetKind === 'url')
    return (
      values.get('url')?.[0] ?? {
        ...placeOf(spec),
        detail: 'Give the URL to check, percent-encoded: ?url=https%3A%2F%2Fexample.com%2F',
      }
    );
  return (
    decodeSegment(segment) ?? {
      ...placeOf(spec),
      detail: 'The path is not valid percent-encoding of UTF-8.',
    }
  );
}

function asText(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? field : field?.join(', ');
}

function knownNames({ targetKind, options }: CheckSpec): readonly string[] {
  return [
    ...(targetKind === 'url' ? ['url'] : []),
    ...Object.keys(options.shape),
    'wait',
    'fresh',
    'maxAge',
    'recheck',
  ];
}

type AskTimes = {
  readonly waitS: number | undefined;
  readonly maxAgeS: number | undefined;
  readonly isFresh: boolean;
  readonly recheck: string | undefined;
};

// The query beats the header: it is what a person typed.
function ageOf(
  { isFresh, maxAgeS, recheck }: AskTimes,
  { noCache, maxAgeS: headerMaxAgeS, onlyIfCached }: Preferences,
): AgeAsked {
  if (isFresh || recheck !== undefined) return { maxAgeS: 0, onlyIfCached };
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

/** The options of a check that a query has: name → its text, or the texts of a repeatable one. */
export function givenOptions(
  { options, repeatable }: CheckSpec,
  { values }: Pick<Query, 'values'>,
): { readonly [name: string]: string | readonly string[] | undefined } {
  return Object.fromEntries(
    Object.keys(options.shape).flatMap((name) => {
      const sent = values.get(name);
      return sent ? [[name, repeatable.includes(name) ? [...new Set(sent)].sort() : sent[0]]] : [];
    }),
  );
}

function readTimes({ values }: Query, faults: InputError[]): AskTimes {
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
  const [recheck] = values.get('recheck') ?? [];
  if (recheck !== undefined && !codeText.test(recheck))
    faults.push({ in: 'query', name: 'recheck', detail: 'Give the code of a finding of the newest report.' });
  return {
    recheck,
    waitS: read('wait', waitText, waitLimitS),
    maxAgeS: read('maxAge', maxAgeText, maxAgeLimitS),
    isFresh: fresh === '1',
  };
}
