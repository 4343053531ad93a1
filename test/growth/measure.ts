/** CPU of this thread that a piece of work takes, ms. */
export function cpuOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  try {
    work();
  } catch {
    // A reader may refuse what it reads by throwing; its cost is the same.
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The least of some measurements: what else happens on the machine only adds to one. */
function leastOf(count: number, measure: () => number): number {
  return Math.min(...Array.from({ length: count }, measure));
}

export type Growth = {
  /** CPU at the greatest size, ms. */
  readonly ms: number;
  /** CPU at the greatest size by that at a quarter of it: 4 where the cost is linear, 16 where it is quadratic. */
  readonly ratio: number;
};

/** Below this nothing is said of growth: at its greatest size the text costs next to nothing. */
const leastMs = 4;

/** A linear reader that is compiled halfway, or meets the collector of garbage, has been seen at 6. */
const ratioLimit = 9;

/**
 * What reading costs at n, 2n and 4n, where 4n is the greatest size.
 * @param make what is read, of a size
 * @param limitMs a text that costs more is too slow whatever its growth: nothing larger is tried
 */
function measureGrowth<Input>(
  make: (size: number) => Input,
  read: (input: Input) => unknown,
  { most, limitMs }: { readonly most: number; readonly limitMs: number },
): Growth {
  const at = (part: number) => {
    const input = make(Math.floor(most / part));
    return cpuOf(() => read(input));
  };
  // What is quadratic would take minutes at the greatest size; what costs nothing here cannot cost much there.
  const early = at(16);
  if (early > limitMs) return { ms: early, ratio: Infinity };
  if (early < leastMs / 64) return { ms: early, ratio: 1 };
  const quarter = at(4);
  if (quarter > limitMs) return { ms: quarter, ratio: Infinity };
  const half = at(2);
  if (half > limitMs) return { ms: half, ratio: (half / quarter) ** 2 };
  const ms = at(1);
  // The clock of a thread's CPU has ticks: what fits into one took no longer than one.
  const [byQuarter, byHalf] = [quarter, half].map((one) => ms / Math.max(one, tickMs));
  return { ms, ratio: ms < leastMs ? 1 : Math.min(byQuarter ?? 1, (byHalf ?? 1) ** 2) };
}

/** The growth, measured again where it looks worse than linear or too slow: what else happens on the machine only adds to one. */
export function growthOf<Input>(
  make: (size: number) => Input,
  read: (input: Input) => unknown,
  limits: { readonly most: number; readonly limitMs: number },
): Growth {
  let growth = measureGrowth(make, read, limits);
  const isBad = () => growth.ratio > ratioLimit || growth.ms > limits.limitMs;
  for (let again = 0; again < 3 && isBad(); again += 1) growth = measureGrowth(make, read, limits);
  return growth;
}

export function isWorseThanLinear({ ratio }: Growth): boolean {
  return ratio > ratioLimit;
}

const tickMs = 1;

/** Characters that the reference loop reads: some 100 ms of a core of 2024. */
const referenceLength = 40_000_000;

/** CPU of a loop whose work is known, ms: on a slow or busy machine it takes longer, as all else does. */
export function referenceMs(): number {
  const text = 'abcdefgh'.repeat(1024);
  return leastOf(3, () =>
    cpuOf(() => {
      let sum = 0;
      for (let at = 0; at < referenceLength; at += 1) sum = (sum * 31 + text.charCodeAt(at & 8191)) | 0;
      return sum;
    }),
  );
}
