import type { Document } from 'mongodb';
import type { Command } from './mongo-proxy.ts';

// Written from MongoDB's manual for 7.0 and 8.0 ("Database Commands", "Query and Projection Operators", "Update Operators", "createIndexes",
// "Aggregation Stages"), not from what the service sends: what both versions have, without what is deprecated in either.

/** Fields that the wire protocol lets stand in every command. */
const common = [
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'maxTimeMS',
  'comment',
  'readConcern',
  'writeConcern',
  'txnNumber',
];

const commands: { readonly [name: string]: readonly string[] } = {
  // "Authentication", "Replication", "Diagnostic": what a driver does by itself.
  hello: [
    'helloOk',
    'client',
    'compression',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'topologyVersion',
    'maxAwaitTimeMS',
    'backpressure',
  ],
  ismaster: [
    'helloOk',
    'client',
    'compression',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'topologyVersion',
    'maxAwaitTimeMS',
    'backpressure',
  ],
  saslStart: ['mechanism', 'payload', 'options', 'autoAuthorize'],
  saslContinue: ['conversationId', 'payload'],
  ping: [],
  buildInfo: [],
  endSessions: [],
  killCursors: ['cursors'],
  // "Query and Write Operation".
  find: [
    'filter',
    'sort',
    'projection',
    'hint',
    'skip',
    'limit',
    'batchSize',
    'singleBatch',
    'collation',
    'let',
    'allowDiskUse',
  ],
  getMore: ['collection', 'batchSize'],
  insert: ['documents', 'ordered', 'bypassDocumentValidation'],
  update: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  delete: ['deletes', 'ordered', 'let'],
  aggregate: ['pipeline', 'cursor', 'hint', 'collation', 'let', 'allowDiskUse'],
  // "Administration".
  createIndexes: ['indexes', 'commitQuorum'],
  dropIndexes: ['index'],
  listIndexes: ['cursor'],
  listCollections: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  collMod: ['index'],
  drop: [],
  dropDatabase: [],
  dbStats: ['scale', 'freeStorage'],
  count: ['query', 'limit', 'skip', 'hint'],
};

const statements: { readonly [name: string]: readonly string[] } = {
  updates: ['q', 'u', 'c', 'upsert', 'multi', 'collation', 'arrayFilters', 'hint'],
  deletes: ['q', 'limit', 'collation', 'hint'],
  indexes: [
    'key',
    'name',
    'unique',
    'sparse',
    'expireAfterSeconds',
    'partialFilterExpression',
    'hidden',
    'collation',
    'v',
  ],
};

const operators = new Set(
  [
    // Query: comparison, logical, element.
    '$eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type',
    // Update: fields.
    '$set $setOnInsert $unset $inc $min $max $mul $rename $currentDate',
    // Stages and accumulators that a driver's countDocuments uses, and those that both versions have.
    '$match $group $sum $project $sort $limit $skip $count',
  ].flatMap((names) => names.split(' ')),
);

/** What of a command MongoDB's manual does not have, a phrase each; none for a command that 7 and 8 both take. */
export function unknownIn({ name, document }: Command): readonly string[] {
  const fields = commands[name];
  if (!fields) return [`command ${name}`];
  const strange = Object.keys(document).filter(
    (field) => field !== name && !common.includes(field) && !fields.includes(field),
  );
  return [...strange.map((field) => `${name}: field ${field}`), ...bodies(name, document)];
}

function bodies(name: string, document: Document): readonly string[] {
  const listed = Object.entries(statements).flatMap(([list, known]) =>
    ((document[list] ?? []) as readonly Document[]).flatMap((each) => [
      ...Object.keys(each)
        .filter((field) => !known.includes(field))
        .map((field) => `${name}: ${list} with ${field}`),
      ...operatorsIn([each['q'], each['u'], each['partialFilterExpression']]),
    ]),
  );
  return [...listed, ...operatorsIn([document['filter'], document['pipeline'], document['query']])];
}

function operatorsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(operatorsIn);
  // Dates, binaries and the like are no documents.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.startsWith('$') && !operators.has(key) ? [`operator ${key}`] : []),
    ...operatorsIn(inner),
  ]);
}

/** What of a command is worth telling apart, such as "find reports by jobKey". */
export function sketch({ name, document }: Command): string {
  const collection = typeof document[name] === 'string' ? ` ${document[name]}` : '';
  const filter = (document['filter'] ?? {}) as object;
  const keys = Object.keys(filter).filter((key) => !key.startsWith('$'));
  return `${name}${collection}${keys.length > 0 ? ` by ${keys.join(', ')}` : ''}`;
}
