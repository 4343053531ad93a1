// Loaded before a process of the fleet: at SIGUSR2 it takes LEAK_MB of memory, writes to all of it, and never lets go.
const kept: Buffer[] = [];
process.on('SIGUSR2', () => {
  kept.push(Buffer.alloc(Number(process.env['LEAK_MB']) * 1e6, 1));
});
