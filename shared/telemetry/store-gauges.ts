import { Gauge, type Registry } from 'prom-client';
import type { ReportStore, StoreUse } from '../ports/report-store.ts';

/** Asking a store how full it is may cost it a walk over its tables; scrapes come each few seconds. */
const lookForMs = 30_000;

/** Adds the gauges of a store's size. They keep their last value while the store is away. */
export function addStoreGauges({ use }: Pick<ReportStore, 'use'>, registers: Registry[]): void {
  let look = { at: Number.NEGATIVE_INFINITY, use: Promise.resolve<StoreUse | undefined>(undefined) };
  const read = () => {
    if (performance.now() - look.at > lookForMs)
      look = { at: performance.now(), use: use().catch(() => undefined) };
    return look.use;
  };
  const gauge = (name: string, help: string, pick: (use: StoreUse) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await read();
        if (found) this.set(pick(found));
      },
    });
  gauge('diag_store_bytes', 'What the store holds.', ({ usedBytes }) => usedBytes);
  gauge(
    'diag_store_limit_bytes',
    'What it may hold: beyond it the oldest reports go first.',
    ({ limitBytes }) => limitBytes,
  );
}
