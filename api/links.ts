import type { Config } from '../shared/config.ts';

/** Makes the Link field of a report (RFC 8288); without ids there is nothing of its own to link to. */
export function openLinks({ PUBLIC_URL, REPORT_IDS }: Config): (reportId: string) => string {
  const prefix = PUBLIC_URL ?? '';
  const description = `<${prefix}/openapi.json>; rel="service-desc"`;
  if (!REPORT_IDS) return () => description;
  return (reportId) => {
    const self = `${prefix}/api/reports/${reportId}`;
    return `<${self}>; rel="self", <${self}/export>; rel="export", ${description}`;
  };
}
