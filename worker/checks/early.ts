/** Something that is begun before it is awaited. Where its run ends meanwhile, perhaps nobody awaits it any more: that is no reason to end the process. */
export function early<T>(begun: Promise<T>): Promise<T> {
  begun.catch(() => undefined); // the caller that awaits it still gets the error
  return begun;
}
