import { domainToASCII } from 'node:url';
import { type JsonFields, isObject, listOf, nameOf, numberOf, textOf } from './json-values.ts';
import type { RegisteredDomain, RegisteredDs } from './port.ts';

/** What a registry tells of one domain stays far below these; the rest is not looked at. */
const most = { events: 50, statuses: 30, entities: 30, nameServers: 30, ds: 30, properties: 30 } as const;

/**
 * Reads an answer about a domain (RFC 9083 §5.3). Only what a report shows survives: of persons nothing, and of the registrar its name.
 * @param text JSON of at most 256 kB: what is taken of its lists is bounded, so the work is that of parsing it
 * @param domain that was asked for, in ASCII and lower case
 * @returns why it is no such answer, as a clause
 */
export function readRegisteredDomain(text: string, domain: string): RegisteredDomain | string {
  const object = parseJson(text);
  if (!isObject(object)) return 'the registry did not answer with JSON';
  if (object['objectClassName'] !== 'domain')
    return 'the registry answered with something else than a domain';
  const name = nameOf(object['ldhName']);
  if (name !== null && name !== domain) return 'the registry answered about another name';
  const secure = isObject(object['secureDNS']) ? object['secureDNS'] : {};
  const isSigned = secure['delegationSigned'];
  const ends = eventIn(object, endActions);
  const servers = listOf(object['nameservers'], most.nameServers).map(serverNameOf);
  return {
    expiresAt: ends.at,
    ...(ends.at === null && ends.unread !== null ? { expiresUnread: ends.unread } : {}),
    registeredAt: eventIn(object, beginActions).at,
    registrar: registrarIn(object),
    statuses: statusesIn(object),
    nameServers: unique(servers.flatMap((server) => server ?? [])),
    ...(servers.includes(null) ? { nameServersUnread: true as const } : {}),
    ds: listOf(secure['dsData'], most.ds).flatMap((one) => readDs(one) ?? []),
    isSigned: typeof isSigned === 'boolean' ? isSigned : null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the answer is not JSON: the caller says so
  }
}

// RFC 9083 §5.3 names a server by its ldhName; some registries give the unicodeName alone.
function serverNameOf(server: JsonFields): string | null {
  const unicode = textOf(server['unicodeName']);
  return (
    nameOf(server['ldhName']) ?? (unicode === null ? null : nameOf(domainToASCII(unicode.replace(/\.$/, ''))))
  );
}

/** RFC 9083 §10.2.3, and what registries write instead. The registrar's own date is another one. */
const endActions =
  /^(?:(?:record|domain|registration) )?(?:expir(?:ation|es|y|ed)|paid till|renewal due)(?: (?:date|on))?$/;
const beginActions = /^(?:(?:record|domain) )?(?:registration|registered|creat(?:ion|ed))(?: (?:date|on))?$/;

/** "0001-01-01" and "9999-12-31" stand for no date. */
const years = { from: 1980, to: 2200 } as const;

/** The date of the first such event; `unread` is what stands in its place where that is no date that can be read. */
function eventIn(object: JsonFields, actions: RegExp): { at: string | null; unread: string | null } {
  const texts = listOf(object['events'], most.events)
    .filter(({ eventAction }) => actions.test(wordsOf(eventAction)))
    .flatMap(({ eventDate }) => textOf(eventDate) ?? []);
  const dates = texts.map((text) => ({ text, ms: readDate(text) }));
  const good = dates.find(({ ms }) => ms !== null && isReal(ms));
  const unread = dates.find(({ ms }) => ms === null)?.text ?? null;
  return { at: good?.ms == null ? null : new Date(good.ms).toISOString(), unread };
}

function wordsOf(action: unknown): string {
  return (textOf(action) ?? '').toLowerCase().replaceAll(/[\s_-]+/g, ' ');
}

function isReal(ms: number): boolean {
  const year = new Date(ms).getUTCFullYear();
  return year >= years.from && year < years.to;
}

// Year first, as RFC 3339 has it; servers write other signs between, the day alone, or a time without a zone. UTC is what registries keep.
// Where the day may stand before the month or behind it, nobody can tell which.
const datePattern =
  /^(\d{4})([-/.]?)(\d\d)\2(\d\d)(?:[T ]{1,2}(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?)?\s?(?:\(?(?:UTC|GMT)?\)?([+-]\d\d?)?:?(\d\d)?\)?|Z)$/i;
const namedPattern = /^(\d{1,2})[- ]([a-z]{3})[a-z]*[- ](\d{4})$/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Unix ms; null where it is no date. */
function readDate(text: string): number | null {
  const [, day, word = '', year] = namedPattern.exec(text) ?? [];
  const month = months.indexOf(word.toLowerCase()) + 1;
  return day !== undefined && month > 0 ? dayOf(Number(year), month, Number(day)) : readNumbers(text);
}

function readNumbers(text: string): number | null {
  const found = datePattern.exec(text);
  if (!found) return null;
  const [year, month, day, hour, minute, second, offset, more] = [1, 3, 4, 5, 6, 7, 8, 9].map((at) =>
    Number(found[at] ?? 0),
  ) as [number, number, number, number, number, number, number, number];
  const from = dayOf(year, month, day);
  if (from === null || hour > 23 || minute > 59 || second > 60) return null;
  const zone = offset * 60 + (found[8]?.startsWith('-') ? -more : more);
  return from + ((hour * 60 + minute - zone) * 60 + second) * 1000;
}

function dayOf(year: number, month: number, day: number): number | null {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : null;
}

// RFC 9083 §10.2.4 and RFC 8056: the words of EPP with spaces between them. "active" is its "ok".
function statusesIn(object: JsonFields): readonly string[] {
  const { status } = object;
  const words = Array.isArray(status) ? status.slice(0, most.statuses) : [];
  return unique(words.flatMap((word) => eppNameOf(textOf(word)) ?? []));
}

function eppNameOf(text: string | null): string | null {
  const word = text?.trim() ?? '';
  if (word.length > 60 || !/^[a-z]+(?:[ _-][a-z]+)*$/i.test(word)) return null;
  const lower = word.toLowerCase();
  if (lower === 'active') return 'ok';
  if (lower === 'associated') return 'linked';
  // Some servers write EPP's own name instead: "clientTransferProhibited".
  if (!/[ _-]/.test(word)) return word.charAt(0).toLowerCase() + word.slice(1);
  return lower.replace(/[ _-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function registrarIn(object: JsonFields): string | null {
  const entity = listOf(object['entities'], most.entities).find(({ roles }) =>
    Array.isArray(roles) ? roles.slice(0, 10).includes('registrar') : roles === 'registrar',
  );
  if (!entity) return null;
  return formattedNameIn(entity['vcardArray']) ?? textOf(entity['handle']);
}

// RFC 7095 §3.3: ["vcard", [["fn", {}, "text", "Example Registrar"], …]]. Nothing else of it is read.
function formattedNameIn(card: unknown): string | null {
  const properties: unknown = Array.isArray(card) ? card[1] : undefined;
  if (!Array.isArray(properties)) return null;
  const found = properties
    .slice(0, most.properties)
    .find((property) => Array.isArray(property) && property[0] === 'fn');
  return Array.isArray(found) ? textOf(found[3]) : null;
}

function readDs(one: JsonFields): RegisteredDs | null {
  const [keyTag, algorithm, digestType] = [one['keyTag'], one['algorithm'], one['digestType']].map(numberOf);
  const digest = textOf(one['digest'])?.replaceAll(' ', '').toLowerCase() ?? '';
  if (keyTag == null || algorithm == null || digestType == null || !/^[0-9a-f]{2,128}$/.test(digest))
    return null;
  return { keyTag, algorithm, digestType, digest };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
