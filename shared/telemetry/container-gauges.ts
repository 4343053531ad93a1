import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';

/** Bytes that a container uses, and may use; 0 where it has no limit, or where there is none. */
export type ContainerMemory = { readonly usedBytes: number; readonly limitBytes: number };

const none: ContainerMemory = { usedBytes: 0, limitBytes: 0 };
/** Where a container sees its own group (cgroup v2). */
const ownGroup = '/sys/fs/cgroup';

/**
 * Reads the memory of the container that this process runs in, with all its other processes. Files in memory that the kernel would drop
 * count as free, as Kubernetes' own measure has it ("working set"): a limit is never reached by them.
 */
export function readContainerMemory(folder = ownGroup): ContainerMemory {
  try {
    const limitBytes = Number(readFileSync(join(folder, 'memory.max'), 'utf8'));
    if (!(limitBytes > 0)) return none; // "max"
    const current = Number(readFileSync(join(folder, 'memory.current'), 'utf8'));
    const [, droppable = '0'] =
      /^inactive_file (\d+)$/m.exec(readFileSync(join(folder, 'memory.stat'), 'utf8')) ?? [];
    return { usedBytes: Math.max(0, current - Number(droppable)), limitBytes };
  } catch {
    return none; // no container, another system, or cgroup v1
  }
}

/** Adds the memory of the container. */
export function addContainerGauges(registers: Registry[]): void {
  let found = none;
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  // Gauges are collected in the order of their making: this one looks, the next tells of the same look.
  gauge('diag_container_memory_bytes', 'What all processes of this container use; 0 without a limit.', () => {
    found = readContainerMemory();
    return found.usedBytes;
  });
  gauge(
    'diag_container_memory_limit_bytes',
    'What they may use; 0 where there is no limit.',
    () => found.limitBytes,
  );
}
