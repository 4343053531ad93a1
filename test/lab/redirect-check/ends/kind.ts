import type { Sites } from '../../kit/web-servers.ts';

/** A kind of chain, walked by Chromium, curl and redirect-check: hosts of its own, and where the walk begins. */
export type Kind = {
  readonly what: string;
  readonly start: string;
  readonly sites: Sites;
  /** Why redirect-check ends elsewhere than Chromium, where it is meant to. */
  readonly meant?: string;
  /** How long Chromium's page is watched for where it sends its visitor, ms; default: 400. */
  readonly watchMs?: number;
};

/** The answers of one host by scheme; what a scheme does not have is 421. */
export type Host = {
  readonly http?: Sites[string];
  readonly https?: Sites[string];
};

let count = 0;

/** A kind with one host. @param answers of the host, whose name ends in .test @param path where the walk begins, or an address */
export function kind(
  what: string,
  answers: Host | ((host: string) => Host),
  path = 'https:/',
  more: Partial<Kind> = {},
): Kind {
  count += 1;
  const host = `k${count}.test`;
  const { http, https } = typeof answers === 'function' ? answers(host) : answers;
  const [scheme = '', rest = ''] = path.split(/:(.*)/s);
  return {
    what,
    start: `${scheme}://${host}${rest}`,
    sites: {
      ...(http ? { [`http://${host}`]: http } : {}),
      ...(https ? { [`https://${host}`]: https } : {}),
    },
    ...more,
  };
}
