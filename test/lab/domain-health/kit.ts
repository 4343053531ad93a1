import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { catalogue } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { makeToken } from '#shared/stores/tokens/make-token';
import { findCheck } from '../../../worker/checks/registry.ts';
import { type Answer, openService, type Service, type ServiceOptions } from '../../api/kit.ts';
import { upperZones } from './domains.ts';
import { type NameServers, openNameServers, type Zones } from './name-servers.ts';
import { openPageStandIn, type PageStandIn } from './page-stand-in.ts';
import { openQuickWorker } from './quick-worker.ts';

export type HealthReport = Report & HealthFields;

export type HealthLab = Service & {
  readonly names: NameServers;
  /** What stands in for the browser; undefined where no worker takes its jobs. */
  readonly pages: PageStandIn | undefined;
  /** GETs the health of a domain, and reads it; anything but 200 is an error. */
  health(domain: string, query?: string): Promise<HealthReport>;
  /** GETs with a token that may read every report given to anonymous callers. */
  getWithToken(path: string): Promise<Answer>;
};

export type HealthLabOptions = Pick<ServiceOptions, 'sites' | 'settings'> & {
  readonly zones?: Zones;
  /** Before each answer of a name server. */
  readonly delayMs?: number;
  /** Whether something stands in for the browser; a page is where a site is. */
  readonly hasPages?: boolean;
  /** Whether the worker's limits are short ones; see openQuickWorker. */
  readonly isQuick?: boolean;
};

/** The whole service over name servers and sites of its own. No browser is started. */
export async function openHealthLab({
  sites = {},
  zones = {},
  settings = {},
  delayMs = 0,
  hasPages = false,
  isQuick = false,
}: HealthLabOptions): Promise<HealthLab> {
  const names = await openNameServers({ ...upperZones, ...zones }, delayMs);
  const more = {
    RATE_LIMIT: 'off',
    WORKER_QUEUES: 'network',
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    ...names.settings,
    ...settings,
  };
  const service = await openService({
    sites,
    withWorker: !isQuick,
    settings: more,
  });
  // A first run loads the code of its check, which takes seconds on a busy machine: the short limits are about targets.
  await Promise.all(catalogue.map(({ name }) => findCheck(name)));
  const quick = isQuick ? openQuickWorker(service.lab.config(more), service.backend) : undefined;
  const pages = hasPages
    ? openPageStandIn(service.backend, {
        isThere: (url) => Object.hasOwn(sites, new URL(url).origin),
        hasIds: settings['REPORT_IDS'] !== 'off',
      })
    : undefined;
  const { text, token } = makeToken(
    { name: 'lab', scopes: ['tools', 'reports:read'], limits: {}, expiresAt: null },
    Date.now(),
  );
  await service.backend.tokenStore.insert(token);
  return {
    ...service,
    names,
    pages,
    async health(domain, query = '') {
      const { status, text: body } = await service.get(healthPath(domain, query));
      if (status !== 200) throw new Error(`${status}: ${body}`);
      return JSON.parse(body) as HealthReport;
    },
    getWithToken: (path) => service.get(path, { authorization: `Bearer ${text}` }),
    async close() {
      await Promise.all([quick?.close(), pages?.close(0)]);
      await service.close();
      await names.close();
    },
  };
}

/** The path of a domain-health. */
export function healthPath(domain: string, query = ''): string {
  return `/api/tools/domain-health/${domain}${query}`;
}

/** Codes of a report's findings, sorted. */
export function codesIn({ findings }: Pick<Report, 'findings'>): readonly string[] {
  return findings.map(({ code }) => code).toSorted();
}

/** Category → its state. */
export function standing({ categories }: HealthReport): Record<string, string> {
  return Object.fromEntries(Object.entries(categories).map(([name, { state }]) => [name, state]));
}
