import type { ConnectionTransport } from 'puppeteer-core';
import { openDevtools } from './devtools.ts';

/**
 * Has a page of the browser compute something, by the DevTools protocol: it needs the browser, its sandbox and a renderer, as a page load does.
 * Gives its product, such as "HeadlessChrome/153.0.8010.0". Pending for as long as the browser does not answer; rejects where it refuses.
 */
export async function computeOnce(transport: ConnectionTransport): Promise<string> {
  const devtools = openDevtools(transport);
  const { targetId } = await devtools.ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.ask('Target.attachToTarget', { targetId, flatten: true });
  await devtools.ask('Runtime.evaluate', { expression: '6 * 7' }, String(sessionId));
  const { product } = await devtools.ask('Browser.getVersion', {});
  return typeof product === 'string' ? product.slice(0, 100) : 'unknown';
}
