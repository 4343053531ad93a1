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
  return {
    expiresAt: eventIn(object, 'expiration'),
    registeredAt: eventIn(object, 'registration'),
    registrar: registrarIn(object),
    statuses: statusesIn(object),
    nameServers: unique(
      listOf(object['nameservers'], most.nameServers).flatMap((one) => nameOf(one['ldhName']) ?? []),
    ),
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

// Servers write the day alone, or a time without a zone; RFC 3339 wants the zone, and UTC is what registries keep.
const datePattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;
/** "0001-01-01" and "9999-12-31" stand for no date. */
const years = { from: 1980, to: 2200 } as const;

function eventIn(object: JsonFields, action: string): string | null {
  const dates = listOf(object['events'], most.events)
    .filter(({ eventAction }) => textOf(eventAction)?.toLowerCase() === action)
    .flatMap(({ eventDate }) => readDate(textOf(eventDate)) ?? []);
  return dates[0] ?? null;
}

function readDate(text: string | null): string | null {
  const [, day, time = '00:00:00', , zone = 'Z'] = datePattern.exec(text?.trim() ?? '') ?? [];
  if (day === undefined) return null;
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const at = new Date(`${day}T${time}${offset}`);
  const year = at.getUTCFullYear();
  return year >= years.from && year < years.to ? at.toISOString() : null;
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
