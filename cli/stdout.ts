import type { Write } from './printers.ts';

/**
 * Opens stdout for output that may be long: a write waits until there is room.
 * @param onClosed the reader has gone (`| head`): nothing more is wanted
 */
export function openStdout(onClosed: () => void): Write {
  const { stdout } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
  return (text) =>
    new Promise((resolve) => {
      if (text === '') resolve();
      // The callback comes also after an error, which the listener has met by then.
      else stdout.write(text, () => resolve());
    });
}
