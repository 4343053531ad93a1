/** What the promise gives, or `otherwise` where it has given nothing after so many ms. A clock that nobody waits for keeps no process alive. */
export function orAfter<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  const late = new Promise<T>((resolve) => {
    setTimeout(() => resolve(otherwise), ms).unref();
  });
  return Promise.race([promise, late]);
}
