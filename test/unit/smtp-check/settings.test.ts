import { expect, test } from 'vitest';
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
