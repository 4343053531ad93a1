import type { CheckSpec } from '#shared/catalogue/spec';

/** The route of a tool. */
export function toolRoute({ name, targetKind }: Pick<CheckSpec, 'name' | 'targetKind'>): string {
  return `/api/tools/${name}${targetKind === 'domain' ? '/:domain' : ''}`;
}
