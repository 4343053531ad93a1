import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goodZone, plainAddress } from '../../lab/domain-health/domains.ts';
import { codesIn, openHealthLab, standing } from '../../lab/domain-health/kit.ts';
import { goodPage } from '../../lab/domain-health/sites.ts';

test('a domain whose pages are served by http alone is judged with a page that was loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-health-'));
  const lab = await openHealthLab({
    zones: goodZone('plain.test', { A: [plainAddress] }),
    settings: { DATA_DIR: folder, WORKER_QUEUES: 'network,browser' },
  });
  const site = createServer(goodPage);
  await new Promise<void>((resolve) => site.listen(lab.lab.web.httpPort, plainAddress, resolve));
  try {
    const report = await lab.health('plain.test', '?wait=55');
    expect(standing(report)).toEqual({
      dns: 'ok',
      ssl: 'ok',
      headers: 'ok',
      performance: 'ok',
      mail: 'ok',
    });
    expect([report.state, report.coverage]).toEqual(['complete', 1]);
    expect(codesIn(report)).toContain('https-missing');
    const { performance } = report.categories;
    expect(performance.report.target).toBe('http://plain.test/');
    expect(performance.score).toBeGreaterThan(0);
    // The page load's own endpoint has it too.
    const page = await lab.get(performance.report.href);
    expect(page.headers['cache-status']).toMatch(/^diag; hit/);
    expect(page.body).toMatchObject({ reportId: performance.report.reportId, score: performance.score });
    console.log(`a whole domain-health with a page load: ${report.durationMs} ms`);
  } finally {
    site.closeAllConnections();
    site.close();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
