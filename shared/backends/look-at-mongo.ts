import { MongoClient } from 'mongodb';
import { freeDelay } from '../time/free-delay.ts';
import { type BackendAnswer, silentAfterMs } from './backend-answer.ts';
import { sayMongoFault } from './mongo-errors.ts';
import { databaseNameOf } from './mongo.ts';
import { whoAnswers } from './who-answers.ts';

/** No step goes on for longer, also where the look has ended before. */
const stepMs = 5000;
/** What is no MongoDB and answers text does so at once. */
const otherMs = 200;

/** Connects anew, reads and writes a little, and says what that met. Never rejects, and ends within about a second, later on a busy machine. */
export async function lookAtMongo(url: string): Promise<BackendAnswer> {
  const server = `${hostsOf(url)}/${databaseNameOf(url)}`;
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: stepMs,
    connectTimeoutMS: stepMs,
    socketTimeoutMS: stepMs,
    retryReads: false,
    retryWrites: false,
    appName: 'diag-look',
  });
  const late = freeDelay(silentAfterMs).then(() => 'it does not answer in time');
  const looking = tryAll(client, databaseNameOf(url)).then(
    () => undefined,
    (error: unknown) => sayMongoFault(error),
  );
  const cause = await Promise.race([looking, allFailed(client, hostsOf(url)).then(sayMongoFault), late]);
  client.close().catch(() => undefined); // what there was to learn is known
  // Only then: a MongoDB would log what it cannot read.
  const other = cause === undefined ? undefined : await whoElse(hostsOf(url));
  if (other !== undefined) return { server, cause: `${other} answers there, not MongoDB` };
  const isOverTls = /[?&](?:tls|ssl)=true/i.test(url) || url.startsWith('mongodb+srv:');
  return {
    server,
    cause: isOverTls && cause?.includes('in time') ? `${cause} over TLS: perhaps it speaks none` : cause,
  };
}

/** Resolves with an error when each of the servers has failed once: the driver would go on trying. */
function allFailed(client: MongoClient, hosts: string): Promise<Error> {
  const failed = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<Error>();
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    failed.add(connectionId);
    if (failed.size >= hosts.split(',').length) resolve(failure);
  });
  return promise;
}

/** What is at the first of these servers where it is surely no MongoDB. */
async function whoElse(hosts: string): Promise<string | undefined> {
  const { hostname, port } = URL.parse(`tcp://${hosts.split(',')[0]}`) ?? { hostname: '', port: '' };
  if (hostname === '' || port === '') return undefined;
  const found = await whoAnswers(hostname.replace(/^\[|\]$/g, ''), Number(port), otherMs);
  return found === 'a program' ? undefined : found;
}

async function tryAll(client: MongoClient, name: string): Promise<void> {
  const trials = client.db(name).collection<{ _id: string; count: number }>('upkeep');
  await trials.findOne({ _id: 'trial' });
  await trials.updateOne({ _id: 'trial' }, { $inc: { count: 1 } }, { upsert: true });
}

function hostsOf(url: string): string {
  return /^[^:]+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? '';
}
