import { afterAll, expect, test } from 'vitest';
import { openService } from '../../api/kit.ts';
import { openMailWorld } from '../smtp-check/world.ts';
import { type HealthReport, healthPath } from './kit.ts';

const zoneOf = (domain: string, address: string) => ({
  [domain]: {
    MX: [{ preference: 1, exchange: `mx.${domain}` }],
    TXT: ['v=spf1 mx -all'],
  },
  [`mx.${domain}`]: { A: [address] },
  [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=reject; rua=mailto:reports@${domain}`] },
});
const world = await openMailWorld({
  ...zoneOf('plain.test', '127.0.0.161'),
  ...zoneOf('quiet.test', '127.0.0.162'),
});
const server = await world.serve(161, { extensions: ['SIZE 1000'] });
// No window of the quota ends while a test counts.
const settings = { ...world.settings, LIMIT_ANON_SCANS: '100/3600' };
const on = await openService({ settings });
const off = await openService({ settings: { ...settings, PROBE_SMTP: 'off' } });
afterAll(async () => {
  await Promise.all([on.close(), off.close()]);
  await world.close();
});

async function look({ get }: typeof on, domain: string, query: string): Promise<HealthReport> {
  const { status, text } = await get(healthPath(domain, `${query}&wait=55`));
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as HealthReport;
}

async function scansLeft({ get }: typeof on): Promise<number> {
  const { text } = await get('/api/me');
  return (JSON.parse(text) as { limits: { scans: { remaining: number } } }).limits.scans.remaining;
}

test('where the part mail is named, its hosts are talked to, for two scans more', async () => {
  const before = await scansLeft(on);
  const { categories, partFindings } = await look(on, 'plain.test', '?parts=mail');
  expect(before - (await scansLeft(on))).toBe(3);
  expect(server.said).toContain(`EHLO ${world.settings['SMTP_HELO']}`);
  expect(categories.mail.codes).toContain('starttls-missing');
  expect(partFindings).toContainEqual(
    expect.objectContaining({ check: 'smtp-check', code: 'starttls-missing', category: 'mail' }),
  );
  const own = await on.get('/api/tools/smtp-check/plain.test');
  expect(own.headers['cache-status']).toMatch(/^diag; hit/);
  expect(own.body['reportId']).toBe(categories.mail.mailHosts?.report?.reportId);
});

test('a host that cannot be seen lowers nothing; where the service does not ask, the category says so', async () => {
  const seen = await look(on, 'quiet.test', '?parts=mail');
  const unasked = await look(off, 'quiet.test', '?parts=mail');
  expect(unasked.categories.mail.mailHosts).toEqual({ reason: 'this service does not talk to mail hosts' });
  expect(seen.categories.mail.mailHosts?.report?.check).toBe('smtp-check');
  expect([seen.categories.mail.score, seen.coverage]).toEqual([
    unasked.categories.mail.score,
    unasked.coverage,
  ]);
});

test('where it is not named or not offered, nobody is talked to, and it costs what it did', async () => {
  const talks = server.connections();
  const [dear, cheap] = [await scansLeft(on), await scansLeft(off)];
  const whole = await look(on, 'plain.test', '?parts=dns');
  expect(whole.categories.mail.mailHosts).toBeUndefined();
  await look(off, 'plain.test', '?parts=mail');
  expect([dear - (await scansLeft(on)), cheap - (await scansLeft(off))]).toEqual([1, 1]);
  expect(server.connections()).toBe(talks);
});
