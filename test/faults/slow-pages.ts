import { referenceMs } from '../growth/measure.ts';
import type { ServiceProcess } from '../kit/service-process.ts';
import { type Lab, openLab } from '../lab/kit/lab.ts';

/** By how much this machine is slower than a quiet core of 2024. */
export const slower = Math.max(1, referenceMs() / 100);

export const hostNames = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}.test`);

/** A lab in which each of these hosts answers after 300 ms: a batch of them stays open for a while. */
export async function openSlowLab(hosts: readonly string[]): Promise<Lab> {
  return openLab({
    sites: Object.fromEntries(
      hosts.map((host) => [
        `http://${host}`,
        (_request: unknown, response: { end(text: string): void }) =>
          void setTimeout(() => response.end('page'), 300),
      ]),
    ),
  });
}

export const tool = (url: string) => `/api/tools/redirect-check?url=${encodeURIComponent(url)}`;

/** One caller of a service. */
export function callerOf(service: ServiceProcess, headers: Readonly<Record<string, string>>) {
  return {
    /** The status. */
    get: async (path: string, from = service.url) =>
      (await fetch(`${from}${path}`, { headers, signal: AbortSignal.timeout(30_000) })).status,
    look: async (path: string) =>
      (await (await fetch(`${service.url}${path}`, { headers })).json()) as object,
    post: async (path: string, body: object, more: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}
