import type { DnsReply } from '../dns/port.ts';
import { clockToleranceMs, type HttpsControls } from './https-controls.ts';
import type { ClockFault } from './memory.ts';
import type { ControlNotes, ControlWire, Outcome } from './port.ts';

/** When signatures hold, Unix ms. */
type Window = { readonly from: number; readonly to: number };

/**
 * Opens the control of this machine's clock: the clocks of two unrelated hosts, or, where they cannot be asked, the times of signatures of the
 * root and of a top-level domain, which hold for a week or two (RFC 4035 §5.3.1): those tell of large differences only.
 */
export function openClockControl(
  wire: ControlWire,
  notes: ControlNotes,
  https: Pick<HttpsControls, 'clock'>,
): () => Promise<Outcome> {
  return async () => {
    const aheadMs = await https.clock();
    if (aheadMs !== undefined) {
      const isRight = Math.abs(aheadMs) <= clockToleranceMs;
      notes.keepClock(isRight ? null : { offsetMs: aheadMs, mostMs: aheadMs });
      return isRight ? 'works' : 'fails';
    }
    const windows = await Promise.all([askWindow(wire, notes, ''), askWindow(wire, notes, 'com')]);
    const known = windows.flatMap((one) => one ?? []);
    if (known.length < windows.length) return 'unsure';
    const fault = faultOf(known, Date.now());
    if (fault) notes.keepClock(fault);
    return fault ? 'fails' : 'unsure';
  };
}

/** How wrong a clock is at least that stands outside of all windows, and how wrong it may be. */
export function faultOf(windows: readonly Window[], nowMs: number): ClockFault | undefined {
  // Whoever signs all at once is not to be judged at the second itself.
  const from = Math.max(...windows.map((one) => one.from)) + clockToleranceMs;
  const to = Math.min(...windows.map((one) => one.to)) - clockToleranceMs;
  if (from >= to) return undefined;
  if (windows.every((one) => nowMs < one.from)) return { offsetMs: from - nowMs, mostMs: to - nowMs };
  if (windows.every((one) => nowMs > one.to)) return { offsetMs: to - nowMs, mostMs: from - nowMs };
  return undefined;
}

async function askWindow(wire: ControlWire, notes: ControlNotes, name: string): Promise<Window | undefined> {
  if (!notes.mayAsk()) return undefined;
  // A resolver with our clock would refuse what it has to check by it.
  const options = { dnssecOk: true, checkingDisabled: true };
  const answer = await wire.askResolver({ name, type: 'SOA' }, options);
  return answer.kind === 'answer' ? windowsIn(answer)[0] : undefined;
}

/** When the signatures in an answer hold. */
export function windowsIn({ answers }: DnsReply): readonly Window[] {
  return answers.flatMap(({ type, data }) => {
    if (type !== 'RRSIG' || typeof data !== 'object' || data === null || Array.isArray(data)) return [];
    const { inception, expiration } = data as { inception?: unknown; expiration?: unknown };
    return typeof inception === 'number' && typeof expiration === 'number'
      ? [{ from: inception * 1000, to: expiration * 1000 }]
      : [];
  });
}
