import type { CheckSpec } from '#shared/catalogue/spec';
import type { Config } from '#shared/settings/config';
import { isOffered } from '#shared/settings/offered';
import { ownerOf } from '#shared/settings/policy';

/** What callers see of this service. */
export type Site = {
  /** Prefix of every link we give: PUBLIC_URL, or "" for links relative to the host. */
  readonly publicPath: string;
  /** The Link field of a report: its own addresses, where reports have ids, and the API's description. */
  readonly linksOf: (reportId: string) => string;
  /** Off: no report can be asked for by its id. */
  readonly reportIds: boolean;
  /** Whose reports and jobs alone a caller of this account is answered with; undefined: everybody's (ACCOUNT_CACHE). */
  readonly ownerOf: (account: string) => string | undefined;
  /** Whether the operator has a check switched on. */
  readonly isOffered: (spec: CheckSpec) => boolean;
  /** No token is needed: anonymous answers may be kept by shared caches. */
  readonly isOpen: boolean;
  /** Watches may tell by e-mail. */
  readonly sendsMail: boolean;
  /** Agents may ask by the Model Context Protocol. */
  readonly hasMcp: boolean;
  /** What owners of servers that are checked learn: CONTACT_URL, HOST_CONCURRENCY and ACCESS_DAYS. */
  readonly owners: {
    readonly contact: string | undefined;
    readonly hostConcurrency: number;
    readonly accessDays: number;
  };
};

/** Reads from the settings what callers see. */
export function openSite(config: Config): Site {
  const { PUBLIC_URL, REPORT_IDS, AUTH_MODE } = config;
  const publicPath = PUBLIC_URL ?? '';
  return {
    publicPath,
    linksOf: openLinks(publicPath, REPORT_IDS),
    reportIds: REPORT_IDS,
    ownerOf: (account) => ownerOf(config, account),
    isOffered: (spec) => isOffered(config, spec),
    isOpen: AUTH_MODE === 'open',
    sendsMail: config.MAIL_URL !== undefined,
    hasMcp: config.MCP,
    owners: {
      contact: config.CONTACT_URL,
      hostConcurrency: config.HOST_CONCURRENCY,
      accessDays: config.ACCESS_DAYS,
    },
  };
}

/** Makes the Link field of a report (RFC 8288); without ids there is nothing of its own to link to. */
function openLinks(publicPath: string, reportIds: boolean): Site['linksOf'] {
  const description = `<${publicPath}/openapi.json>; rel="service-desc"`;
  if (!reportIds) return () => description;
  return (reportId) => {
    const self = `${publicPath}/api/reports/${reportId}`;
    return `<${self}>; rel="self", <${self}/export>; rel="export", ${description}`;
  };
}
