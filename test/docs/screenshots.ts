// npm run screenshots: the README's pictures, taken of the demo. They differ a little each time, so `npm run docs` leaves them alone.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath } from '../../api/pages/page-services.ts';
import { openTestBrowser } from '../browser/pages/kit.ts';
import { startService } from '../kit/service-process.ts';

const folder = join(import.meta.dirname, '../../docs/images');
const size = { width: 1100, height: 900 };
const pictures = [{ check: 'dns-check', target: 'spoofed.test' }] as const;

mkdirSync(folder, { recursive: true });
const demo = await startService({
  program: process.execPath,
  args: ['demo/main.ts'],
  environment: { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' },
});
const browser = await openTestBrowser();
try {
  for (const { check, target } of pictures) {
    const answer = await fetch(`${demo.url}/api/tools/${check}/${target}?wait=50`);
    if (answer.status !== 200) throw new Error(`${check} of ${target}: ${answer.status}`);
    const page = await browser.open({ width: size.width });
    await page.goto(`${demo.url}${pagePath(check, target)}`);
    const path = join(folder, `${check}.png`);
    await page.screenshot({ path: path as `${string}.png`, clip: { x: 0, y: 0, ...size } });
    console.log(path);
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await demo.closed;
}
