const stopping = 'the worker is stopping';

/** Why a run is broken off when its worker stops. */
export function workerIsStopping(): Error {
  return new Error(stopping);
}

/** Tells what a run is broken off with, at its limit or because its worker stops, from a defect. */
export function isEndOfRun(reason: unknown): boolean {
  if (reason instanceof DOMException) return ['TimeoutError', 'AbortError'].includes(reason.name);
  return reason instanceof Error && reason.message === stopping;
}
