import { z } from 'zod';
import { beforePoint } from '../checks/ssl-check/grammar/transparency-logs.ts';

const url = 'https://www.gstatic.com/ct/log_list/v3/all_logs_list.json';

const log = z.object({
  description: z.string(),
  key: z.string(),
  log_type: z.string().optional(),
  state: z.record(z.string(), z.object({ timestamp: z.string() })).optional(),
});
const list = z.object({
  log_list_timestamp: z.string(),
  operators: z.array(
    z.object({
      name: z.string(),
      logs: z.array(log).default([]),
      tiled_logs: z.array(log).default([]),
    }),
  ),
});

/** States in which timestamps of a log count, or have counted until its retirement. */
const counted = ['usable', 'qualified', 'readonly', 'retired'];

/**
 * The text of `worker/checks/ssl-check/grammar/listed-logs.ts` for the list of logs that Chrome publishes. Logs that ended before this year
 * are left out, since no certificate that is still valid has their timestamps; so are those with keys that are not on P-256.
 * @param json the list
 * @throws Error where it is not such a list, or names no log
 */
export function writeCtLogs(json: string): string {
  const { log_list_timestamp: timestamp, operators } = list.parse(JSON.parse(json));
  const rows = operators.flatMap(({ name, logs, tiled_logs: tiled }) => {
    const kept = [...logs, ...tiled].flatMap((one) => readLog(one, timestamp));
    return kept.length > 0 ? [[name, kept] as const] : [];
  });
  if (rows.length === 0) throw new Error('the list names no log');
  return `/** The day of the list below. */
export const logsListedOn = '${timestamp.slice(0, 10)}';

/**
 * Logs of Certificate Transparency by operator: name, public key (the point on P-256, base64), and since when it is retired.
 * Source: ${url}. Written by \`npm run refresh ct-logs\`.
 */
export const operators: {
  readonly [operator: string]: readonly (readonly [name: string, key: string, retired?: string])[];
} = ${JSON.stringify(Object.fromEntries(rows))};
`;
}

/** A certificate is valid for 398 days at most, so its timestamps are not older. */
const longestMs = 400 * 86_400_000;

function readLog(
  { description, key, log_type: type, state = {} }: z.infer<typeof log>,
  now: string,
): string[][] {
  const [kind = ''] = Object.keys(state);
  if (!counted.includes(kind) || type === 'test' || !key.startsWith(beforePoint)) return [];
  const timestamp = state[kind]?.timestamp ?? '';
  const name = /'([^']+)'/.exec(description)?.[1] ?? description;
  const row = [name, key.slice(beforePoint.length)];
  if (kind !== 'retired') return [row];
  return Date.parse(timestamp) < Date.parse(now) - longestMs ? [] : [[...row, timestamp]];
}
