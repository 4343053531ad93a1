import type { CheckSpec } from '#shared/catalogue/spec';

/** The pattern of a tool's path, as Express and log lines have it: "/api/tools/dns-check/:domain". */
export function toolPattern({ name, targetKind }: Pick<CheckSpec, 'name' | 'targetKind'>): string {
  return `/api/tools/${name}${targetKind === 'domain' ? '/:domain' : ''}`;
}
