/** Starts to count the CPU of this thread, which other work on the machine does not lengthen. Gives what was used since, ms. */
export function countCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
