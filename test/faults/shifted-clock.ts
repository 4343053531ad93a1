// Loaded before a process of the fleet: its wall clock is CLOCK_SHIFT_MS ahead, or behind where that is negative. At SIGUSR2 it
// jumps by CLOCK_JUMP_MS, as one that is set. The monotonic clock stays.
let shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const jumpMs = Number(process.env['CLOCK_JUMP_MS'] ?? 0);
if (jumpMs !== 0)
  process.on('SIGUSR2', () => {
    shiftMs += jumpMs;
  });
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
