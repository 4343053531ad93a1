/** What one run may cost the target, and how long it may take. */
export type Allowance = {
  /** Takes a connection; gives the reason why none may be opened any more, or null. */
  readonly take: () => string | null;
  /** Takes one of those kept for OpenSSL's handshakes, however many ClientHellos there were. */
  readonly takeKept: () => string | null;
  /** What is kept and was not needed is free for ClientHellos, but for so many as are still due. */
  readonly releaseKept: (due: number) => void;
  /** No handshake is due beyond those that are known to be: nothing is kept for it once the others are over. */
  readonly noteNoneDue: () => void;
  /** A connection was cut off: one is kept to find out whether the server still answers. */
  readonly noteCutOff: () => void;
  /** A question was not answered in time. After three of them nothing more is asked. */
  readonly noteSilence: () => void;
  /** The server answered within this time; later questions wait for a multiple of it. */
  readonly noteAnswer: (ms: number) => void;
  readonly timeoutMs: () => number;
  /** How many ms to stay for tickets and late alerts: they come one round trip after our last message, and a handshake or a fresh answer took two and the server's work. */
  readonly lingerMs: (handshakeMs: number) => number;
  readonly taken: () => number;
  /** Whether half of the time is left, and a ClientHello beside so many that are due. */
  readonly isSpare: (due: number) => boolean;
  /** How many ms an answer over HTTP may take that is asked for now. */
  readonly leftMs: (atMost: number) => number;
};

export type AllowanceLimits = {
  readonly connections: number;
  /** How many of them are kept for OpenSSL's handshakes. */
  readonly kept: number;
  /** No connection is opened later than this after the start. */
  readonly timeMs: number;
  /** No answer over HTTP is waited for later than this after the start. */
  readonly answersByMs: number;
  readonly firstTimeoutMs: number;
  /** For what a server needs beside the way to it. */
  readonly leastLingerMs: number;
  readonly silences: number;
};

/** For a run of 20 s. The last connection may need its whole timeout. */
export const allowanceLimits: AllowanceLimits = {
  connections: 45,
  kept: 5,
  timeMs: 12_000,
  answersByMs: 17_000,
  firstTimeoutMs: 5000,
  leastLingerMs: 15,
  silences: 3,
};

const leastTimeoutMs = 1500;
const longestLingerMs = 1000;

/** Opens the allowance of one run; `now` is a monotonic clock in ms. */
export function openAllowance(limits: AllowanceLimits, now: () => number): Allowance {
  const start = now();
  let taken = 0;
  let silences = 0;
  let kept = limits.kept;
  let isCutOff = false;
  let isReleased = false;
  let isNoneDue = false;
  let slowestMs: number | null = null;
  const takeBelow = (connections: number) => {
    if (silences >= limits.silences) return 'the server stopped answering';
    if (now() - start > limits.timeMs) return 'there was no time left';
    if (taken >= connections) return `the limit of ${limits.connections} connections was reached`;
    taken += 1;
    return null;
  };
  return {
    take: () => takeBelow(limits.connections - kept),
    takeKept() {
      kept = Math.max(0, kept - 1);
      return takeBelow(limits.connections);
    },
    releaseKept: (due) => {
      isReleased = true;
      kept = (isNoneDue ? 0 : due) + Number(isCutOff);
    },
    noteNoneDue() {
      isNoneDue = true;
      if (isReleased) kept = Number(isCutOff);
    },
    noteCutOff() {
      if (!isCutOff) kept += 1;
      isCutOff = true;
    },
    noteSilence: () => {
      silences += 1;
    },
    noteAnswer: (ms) => {
      slowestMs = Math.max(slowestMs ?? 0, ms);
    },
    timeoutMs: () =>
      slowestMs === null
        ? limits.firstTimeoutMs
        : Math.min(limits.firstTimeoutMs, Math.max(leastTimeoutMs, 10 * slowestMs)),
    lingerMs: (handshakeMs) => lingerOf(limits, Math.max(handshakeMs, slowestMs ?? 0)),
    taken: () => taken,
    isSpare: (due) => taken + kept + due < limits.connections && 2 * (now() - start) < limits.timeMs,
    leftMs: (atMost) => Math.max(0, Math.min(atMost, start + limits.answersByMs - now())),
  };
}

function lingerOf({ leastLingerMs }: AllowanceLimits, slowestMs: number): number {
  return Math.round(Math.min(longestLingerMs, leastLingerMs + 2 * slowestMs));
}
