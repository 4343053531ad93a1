import { Problem } from '#shared/model/problem';
import { visible } from '#shared/render/visible-text';
import { ConfigError } from '#shared/settings/config';
import { DiagnosticsProblem, ServerUnreachable } from '../client/diagnostics.ts';
import { UsageError } from './outcome.ts';

/** What the command ends with. */
export const exitStatus = {
  ok: 0,
  /** A report is worse than --fail-on or --min-score asks. */
  missed: 1,
  usage: 2,
  /** Some targets were not checked. */
  incomplete: 3,
  auth: 4,
  /** The service is away or full, or the limit allows no such run. */
  server: 5,
  /** Bad settings (EX_CONFIG of sysexits.h). */
  config: 78,
  interrupted: 130,
} as const;

/** The status for an error that we foresaw, and what to say of it; undefined for a defect, which keeps its stack. */
export function exitOf(error: unknown): { readonly status: number; readonly message: string } | undefined {
  if (error instanceof UsageError) return { status: exitStatus.usage, message: error.message };
  if (error instanceof ConfigError) return { status: exitStatus.config, message: error.message };
  if (error instanceof Problem) return { status: exitStatus.server, message: error.message };
  if (error instanceof ServerUnreachable)
    return {
      status: exitStatus.server,
      message: `${error.message}\nStart one with diag serve, name another with --server, or add --local.`,
    };
  // One line, whatever the server put there.
  if (error instanceof DiagnosticsProblem)
    return { status: statusOf(error), message: visible(error.message) };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { status: exitStatus.incomplete, message: 'The check did not end within its time.' };
  return undefined;
}

function statusOf({ status }: DiagnosticsProblem): number {
  if (status === 401 || status === 403) return exitStatus.auth;
  return status === 429 || status >= 500 ? exitStatus.server : exitStatus.usage;
}
