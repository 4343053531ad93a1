/** Tells whether a value has a shape. Fields beside those that are named may be there: a later version of the service adds some. */
export type Shape = (value: unknown) => boolean;

const isText: Shape = (value) => typeof value === 'string';
const isNumber: Shape = (value) => Number.isFinite(value);
const isFlag: Shape = (value) => typeof value === 'boolean';
const isRecord: Shape = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value);
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
const recordOf =
  (shape: Shape): Shape =>
  (value) =>
    isRecord(value) && Object.values(value as object).every(shape);
const fields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isRecord(value) &&
    Object.entries(shapes).every(([name, shape]) => shape((value as Record<string, unknown>)[name]));

const isFinding = fields({
  code: isText,
  part: optional(isText),
  severity: isText,
  title: isText,
  detail: isText,
  scoreEffect: isNumber,
  evidence: listOf(isRecord),
  fix: fields({
    text: isText,
    record: optional(fields({ name: isText, type: isText, value: isText })),
    snippets: optional(recordOf(isText)),
  }),
  references: listOf(fields({ title: isText, url: isText })),
});
const counts = ['critical', 'high', 'medium', 'low', 'info', 'passed', 'notTested'];

/** What every report has; the fields of its own check are not looked at. */
export const isReport = fields({
  schemaVersion: isNumber,
  reportId: optional(isText),
  check: isText,
  target: isRecord,
  state: isText,
  checkedAt: isText,
  freshUntil: isText,
  expiresAt: isText,
  durationMs: isNumber,
  score: orNull(isNumber),
  grade: orNull(isText),
  rulesVersion: isNumber,
  summary: fields(Object.fromEntries(counts.map((name) => [name, isNumber]))),
  findings: listOf(isFinding),
  passed: listOf(isText),
  notTested: listOf(fields({ code: isText, reason: isText })),
});

/** A job that goes on, as a 202 and /api/jobs tell it. */
export const isJob = fields({
  id: isText,
  state: isText,
  position: optional(isNumber),
  progress: fields({ done: isNumber, total: isNumber, current: isText }),
});

const isLimit = fields({
  limit: isNumber,
  windowSeconds: isNumber,
  remaining: isNumber,
  resetSeconds: isNumber,
});
/** /api/me. */
export const isMe = fields({
  kind: isText,
  scopes: listOf(isText),
  limited: isFlag,
  limits: fields({ requests: isLimit, scans: isLimit }),
  costs: recordOf(isNumber),
});

const row = {
  reportId: isText,
  check: isText,
  target: isText,
  checkedAt: isText,
  score: orNull(isNumber),
  grade: orNull(isText),
  state: isText,
};
/** A page of /api/reports. */
export const isHistory = fields({ reports: listOf(fields(row)), next: orNull(isText) });

/** A page of /api/history/{domain}. */
export const isDomainHistory = fields({
  domain: isText,
  points: listOf(fields({ ...row, news: listOf(fields({ kind: isText, severity: isText, text: isText })) })),
  next: orNull(isText),
});

/** /api/compare. */
export const isComparison = fields({
  domains: listOf(
    fields({
      domain: isText,
      state: isText,
      checkedAt: orNull(isText),
      score: orNull(isNumber),
      grade: orNull(isText),
    }),
  ),
  rows: listOf(
    fields({
      category: orNull(isText),
      code: orNull(isText),
      name: isText,
      kind: isText,
      cells: listOf(fields({ text: isText, verdict: orNull(isText), severity: orNull(isText) })),
    }),
  ),
});

const isSide = fields({ score: orNull(isNumber), grade: orNull(isText) });
const isDifference = fields({ code: isText, severity: isText, title: isText });
/** What changed between two reports. */
export const isDiff = fields({
  check: isText,
  from: isSide,
  to: isSide,
  rulesChanged: isFlag,
  findings: fields({
    added: listOf(isDifference),
    fixed: listOf(isDifference),
    changed: listOf(fields({ code: isText, differs: listOf(isText) })),
    unchanged: isNumber,
  }),
});

/** A batch. */
export const isBatch = fields({
  batchId: isText,
  check: isText,
  state: isText,
  endedAt: orNull(isText),
  ...Object.fromEntries(
    ['total', 'waiting', 'running', 'done', 'refused', 'failed', 'cancelled'].map((name) => [name, isNumber]),
  ),
  perMinute: orNull(isNumber),
  remainingSeconds: orNull(isNumber),
});
/** A page of /api/batches. */
export const isBatchList = fields({ batches: listOf(isBatch), next: orNull(isText) });
/** A line of the results of a batch. */
export const isBatchLine = fields({
  index: isNumber,
  target: isText,
  cursor: isText,
  outcome: isText,
  report: orNull(isReport),
  problem: orNull(isRecord),
});

/** A delivery of a watch. */
export const isDelivery = fields({
  deliveryId: isText,
  channel: isText,
  type: isText,
  target: orNull(isText),
  createdAt: isText,
  state: isText,
  attempts: isNumber,
  httpStatus: orNull(isNumber),
  failure: orNull(isText),
});
/** A watch. */
export const isWatch = fields({
  watchId: isText,
  label: orNull(isText),
  check: isText,
  targetCount: isNumber,
  everySeconds: isNumber,
  late: isNumber,
  paused: isFlag,
  pausedReason: orNull(isText),
  nextAt: orNull(isText),
  notify: fields({ webhook: orNull(fields({ url: isText })) }),
  deliveries: listOf(isDelivery),
  webhookSecret: optional(isText),
});
/** A page of /api/watches. */
export const isWatchList = fields({ watches: listOf(isWatch), next: orNull(isText) });
/** A page of the targets of a watch. */
export const isTargetList = fields({
  targets: listOf(
    fields({ target: isText, state: isText, checkedAt: orNull(isText), problem: orNull(isText) }),
  ),
  next: orNull(isText),
});
/** A page of the deliveries of a watch. */
export const isDeliveryList = fields({ deliveries: listOf(isDelivery), next: orNull(isText) });
/** The new secret of a webhook. */
export const isSecret = fields({ webhookSecret: isText });

/** The new addresses of an account's feed and calendar. */
export const isAddresses = fields({ feed: isText, calendar: isText });

/** /api/findings. */
export const isRules = fields({
  findings: listOf(
    fields({ code: isText, check: isText, severity: isText, points: isNumber, title: isText }),
  ),
});

/** One fault of a request, in a problem document. */
export const isFault = fields({ in: isText, name: isText, detail: isText });

/** Deeper than any answer of the service, and far from where printing it would overflow the stack. */
const deepest = 200;

/** True for JSON whose lists and objects are nested deeper than any answer of the service is. Reads the text once. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // A quote ends a string but behind a backslash, which takes the next unit with it.
    if (unit === 0x22) isInside = !isInside;
    else if (isInside) at += unit === 0x5c ? 1 : 0;
    else if (unit === 0x5b || unit === 0x7b) depth += 1;
    else if (unit === 0x5d || unit === 0x7d) depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}
