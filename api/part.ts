import { asConfigError } from '#shared/lifecycle/listen';
import type { Part, ProcessContext } from '#shared/lifecycle/process';
import { openApi } from './open.ts';

/** The public listener as a part of a process. */
export async function apiPart(context: ProcessContext): Promise<Part> {
  const { config } = context;
  const api = await openApi(context).catch(asConfigError('PORT', config.PORT));
  return {
    says: { url: `http://${config.HOST}:${api.port}` },
    canWork: api.canAnswer,
    close: (graceMs) => api.close(graceMs),
  };
}
