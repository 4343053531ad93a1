import { expect, test } from 'vitest';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { smtpCheck } from '#shared/catalogue/smtp-check/spec';
import { openJobKeys } from '#shared/queue/job-keys';
import { readConfig } from '#shared/settings/config';

test('who talks to mail hosts must say who it is and whom to write to; all that is missing is named at once', () => {
  expect(() => readConfig({ PROBE_SMTP: 'on', SMTP_CONTROL_HOST: '192.0.2.1', PORT: 'x' })).toThrow(
    /PORT: [^\n]+\n.*SMTP_CONTROL_HOST: must be a whole host name[^\n]+\n.*needs SMTP_HELO[^\n]+\n.*needs CONTACT_URL/s,
  );
  expect(() => readConfig({ SMTP_HELO: 'localhost' })).toThrow(/SMTP_HELO: must be a whole host name/);
  const { PROBE_SMTP } = readConfig({
    PROBE_SMTP: 'on',
    SMTP_HELO: 'a.example.com',
    CONTACT_URL: 'mailto:a@b.test',
  });
  expect(PROBE_SMTP).toBe(true);
});

test('whether mail hosts are talked to, and by which name, is part of the questions that it changes', () => {
  const keysOf = (settings: Readonly<Record<string, string>>) => {
    const keyOf = openJobKeys(
      readConfig({ SMTP_HELO: 'a.example.com', CONTACT_URL: 'mailto:a@b.test', ...settings }),
    );
    return [domainHealth, smtpCheck, dnsCheck].map((spec) => keyOf(spec, 'a.test', {}, undefined));
  };
  const off = keysOf({});
  const on = keysOf({ PROBE_SMTP: 'on' });
  const renamed = keysOf({ PROBE_SMTP: 'on', SMTP_HELO: 'b.example.com' });
  const same = (one: readonly string[], other: readonly string[]) => one.map((key, at) => key === other[at]);
  expect(same(off, on)).toEqual([false, false, true]);
  expect(same(on, renamed)).toEqual([false, false, true]);
  // Where it is off, a name that nobody is told changes nothing.
  expect(keysOf({ SMTP_HELO: 'b.example.com' })).toEqual(off);
});
