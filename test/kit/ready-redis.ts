import type { Redis } from 'ioredis';
import { impatientAlone, openRedis } from '#shared/backends/redis';

/** The log of a client under test: what went wrong is seen, the rest is not. */
export const quietLog = {
  error: console.error,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** A client as the limiter and the pace use it, once it is connected. */
export async function openReadyRedis(url: string): Promise<Redis> {
  const client = openRedis(url, impatientAlone, quietLog);
  await new Promise((resolve) => client.once('ready', resolve));
  return client;
}
