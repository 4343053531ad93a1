import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, readConfig } from '#shared/settings/config';
import { parseMailUrl } from '#shared/settings/mail';
import { fileSettingOf, secretSettings } from '#shared/settings/secret-files';
import { browserSettingsOf } from '../../worker/start/browser-settings.ts';

test('without any variable every setting has its default', () => {
  expect(readConfig({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    AUTH_MODE: 'open',
    ACCOUNT_CACHE: 'shared',
    REPORT_IDS: true,
    HOST_CONCURRENCY: 4,
    QUEUE_SECONDS: 600,
    LIMIT_ANON_SCANS: { points: 60, windowS: 60 },
    WORKER_QUEUES: ['network', 'browser'],
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', REDIS_URL: '' })).toMatchObject({ PORT: 3000 });
});

test.for([
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['LIMIT_ANON_SCANS', '60'],
  ['LIMIT_ANON_SCANS', '0/60'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', 'proxy.test'],
  ['WAIT_SECONDS', '56'],
  ['AUTH_MODE', 'closed'],
  ['REPORT_IDS', 'no'],
  ['TARGET_PORTS', '80,x'],
  ['TARGET_PORTS', '90-80'],
  ['TARGET_PORT_MAP', '80'],
  ['TARGET_ALLOW_CIDRS', '10.0.0.0/33'],
  ['TARGET_DENY_CIDRS', '127.1'],
  ['PUBLIC_URL', 'example.com'],
  ['LOG_LEVEL', 'loud'],
  ['WORKER_QUEUES', 'network,mail'],
  ['NODE_EXTRA_CA_CERTS', '/nowhere/ca.pem'],
  ['HOST_CONCURRENCY', '0'],
  ['HOST', 'http://127.0.0.1'],
  ['HOST', '0.0.0.0:3000'],
  ['ADMIN_HOST', 'a b'],
  ['PUBLIC_URL', 'https://checks.example/?from=here'],
  ['PUBLIC_URL', 'https://user:secret@checks.example/'],
  ['CONTACT_URL', 'us'],
  ['CONTACT_URL', 'https://checks.example/ and more'],
  ['CORS_ORIGINS', 'foo'],
  ['CORS_ORIGINS', 'https://page.example/'],
  ['CORS_ORIGINS', ','],
  ['DNS_SERVERS', '999.1.1.1'],
  ['DNS_SERVERS', '256.0.0.1:53'],
  ['DNS_SERVERS', '1.2.3'],
  ['DNS_SERVERS', '0x7f000001'],
  ['DNS_SERVERS', 'unbound.1'],
  ['DNS_SERVERS', 'foo:bar:baz'],
  ['DNS_SERVERS', '192.0.2.1:dns'],
  ['DNS_SERVERS', '192.0.2.1:0'],
  ['DNS_SERVERS', '[192.0.2.1'],
  ['DNS_SERVERS', ','],
  ['NAMESERVER_PORT', '0'],
  ['TARGET_PORTS', ','],
  ['TARGET_PORTS', '0'],
  ['TARGET_PORT_MAP', '80=65536'],
  ['TARGET_ALLOW_CIDRS', ' , '],
  ['TARGET_ALLOW_SUFFIXES', '*.test'],
  ['TARGET_ALLOW_SUFFIXES', '.'],
  ['ORIGIN_ASN_ZONE', 'https://origin.test/'],
  ['WORKER_QUEUES', ','],
  ['REPORT_TTL_DAYS', '999999999'],
  ['EVIDENCE_HOURS', '999999999'],
  ['QUEUE_SECONDS', '9999999'],
  ['BROWSER_NO_SANDBOX', 'yes'],
  ['DATA_DIR', `${import.meta.filename}/below`],
] as const)('%s=%s is refused by name', ([name, value]) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`${name}: `));
}); // prettier-ignore

test('all bad settings are named at once', () => {
  const read = () => readConfig({ PORT: 'x', AUTH_MODE: 'y', REDIS_URL: 'redis://localhost' });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/PORT: .*[\s\S]*AUTH_MODE: /);
});

test('also the half of a pair is named among them', () => {
  const read = () => readConfig({ PORT: 'x', REDIS_URL: 'redis://localhost' });
  expect(read).toThrow(/PORT: .*[\s\S]*REDIS_URL and MONGODB_URL: /);
});

test.for([
  ['REDIS_URL', 'notaurl'],
  ['REDIS_URL', 'http://localhost:6379'],
  ['REDIS_URL', 'redis://localhost/queue'],
  ['REDIS_URL', 'redis://a.example,b.example'],
  ['REDIS_URL', 'redis+cluster://a.example,b.example/1'],
  ['REDIS_URL', 'redis+sentinel://a.example'],
  ['MONGODB_URL', 'alsonot'],
  ['MONGODB_URL', 'mongodb://'],
  ['MONGODB_URL', 'http://localhost:27017'],
] as const)('%s=%s is refused by name, whether the other is set or not', ([name, value]) => {
  const pair = { REDIS_URL: 'redis://localhost', MONGODB_URL: 'mongodb://localhost' };
  expect(() => readConfig({ ...pair, [name]: value })).toThrow(new RegExp(`${name}: `));
  expect(() => readConfig({ [name]: value })).toThrow(
    new RegExp(`${name}: .*[\\s\\S]*REDIS_URL and MONGODB_URL: `),
  );
});

test.for([
  'rediss://diag:p%40ss@a.example:6379',
  'redis+sentinel://diag:word@a.example,b.example:26380/mymaster/2?sentinelPassword=other',
])('%s is an address of a queue', (url) => {
  const pair = { REDIS_URL: url, MONGODB_URL: 'mongodb://localhost' };
  expect(readConfig(pair)).toMatchObject(pair);
});

test.for(['redis+cluster://a.example:7000,b.example:7001', 'rediss+cluster://diag:word@cfg.example'])(
  '%s is refused, and told what there is instead',
  (REDIS_URL) => {
    const read = () => readConfig({ REDIS_URL, MONGODB_URL: 'mongodb://localhost' });
    expect(read).toThrow(/REDIS_URL: a Redis Cluster cannot hold the queue.*split by domain/);
    expect(read).not.toThrow(/diag:word/);
  },
);

test.for([
  'mongodb://a.example:27017,b.example:27018/diag?replicaSet=rs0',
  'mongodb+srv://user:p%40ss@cluster.example/diag',
  'mongodb://%2Ftmp%2Fmongodb-27017.sock/diag',
])('%s is an address of a store', (url) => {
  expect(readConfig({ REDIS_URL: 'rediss://user:word@r.example:6380/2', MONGODB_URL: url })).toMatchObject({
    MONGODB_URL: url,
  });
});

test.for([
  ['on', true],
  ['1', true],
  ['true', true],
  ['off', false],
  ['0', false],
  ['false', false],
] as const)('a switch is read: %s is %s', ([word, isOn]) => {
  expect(readConfig({ BROWSER_NO_SANDBOX: word, REPORT_IDS: word })).toMatchObject({
    BROWSER_NO_SANDBOX: isOn,
    REPORT_IDS: isOn,
  });
});

test('the browser keeps its sandbox unless the setting says otherwise', () => {
  const noSandboxOf = (given: Record<string, string>) => browserSettingsOf(readConfig(given)).noSandbox;
  expect(noSandboxOf({})).toBe(false);
  expect(noSandboxOf({ BROWSER_NO_SANDBOX: '0' })).toBe(false);
  expect(noSandboxOf({ BROWSER_NO_SANDBOX: '1' })).toBe(true);
});

test.for(['192.0.2.1', '192.0.2.1:5353', '2001:db8::1', '[2001:db8::1]:5353', 'unbound:53', 'ns.example'])(
  '%s is a name server',
  (server) => {
    expect(readConfig({ DNS_SERVERS: server })).toMatchObject({ DNS_SERVERS: [server] });
  },
);

test('Redis and MongoDB are set together or not at all', () => {
  expect(() => readConfig({ REDIS_URL: 'redis://localhost' })).toThrow(/REDIS_URL and MONGODB_URL/);
  expect(readConfig({ REDIS_URL: 'redis://localhost', MONGODB_URL: 'mongodb://localhost' })).toMatchObject({
    REDIS_URL: 'redis://localhost',
  });
});

test('lists, ranges and maps are read', () => {
  expect(
    readConfig({
      TARGET_PORTS: '80, 8000-8100',
      TARGET_PORT_MAP: '80=45080,443=45443',
      TRUST_PROXY: '2',
      TARGET_ALLOW_SUFFIXES: '.Test, example',
      ORIGIN_ASN_ZONE: 'Origin.as.internal.',
    }),
  ).toMatchObject({
    TARGET_PORTS: [
      [80, 80],
      [8000, 8100],
    ],
    TARGET_PORT_MAP: new Map([
      [80, 45_080],
      [443, 45_443],
    ]),
    TRUST_PROXY: 2,
    TARGET_ALLOW_SUFFIXES: ['test', 'example'],
    ORIGIN_ASN_ZONE: { ipv4: 'origin.as.internal', ipv6: 'origin6.as.internal' },
  });
}); // prettier-ignore

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with this text. */
function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const secrets = {
  REDIS_URL: 'rediss://diag:p%40ss@redis.example:6380',
  MONGODB_URL: 'mongodb+srv://diag:p%40ss@cluster.example/diag',
  MAIL_URL: 'smtps://diag:p%40ss@mail.example',
  CRUX_API_KEY: 'key-of-crux',
  PSI_API_KEY: 'key-of-psi',
};

test('every secret can be read from a file, and the line end of the file is no part of it', () => {
  const files = secretSettings.map((name) => [fileSettingOf(name), fileOf(name, `${secrets[name]}\n`)]);
  const beside = { MAIL_FROM: 'watches@checks.example', PUBLIC_URL: 'https://checks.example' };
  const given = { ...beside, ...(Object.fromEntries(files) as Record<string, string>) };
  expect(readConfig(given)).toMatchObject(secrets);
});

test.for(secretSettings)('%s and its file are not both accepted', (name) => {
  const both = { ...secrets, [fileSettingOf(name)]: fileOf('both', secrets[name]) };
  expect(() => readConfig(both)).toThrow(`${name} and ${name}_FILE: are both set`);
});

test.for([
  ['is not there', '/nowhere/redis-url', 'names a file that cannot be read'],
  ['is a folder', folder, 'names a file that cannot be read'],
  ['is empty', fileOf('empty', '\n'), 'names an empty file'],
] as const)('a file of a secret that %s is refused by name', ([, path, why]) => {
  const read = () => readConfig({ MONGODB_URL: secrets.MONGODB_URL, REDIS_URL_FILE: path });
  expect(read).toThrow(`REDIS_URL_FILE: ${why}`);
});

test('what is in the file is judged like the setting, and never repeated', () => {
  const read = () =>
    readConfig({ ...secrets, REDIS_URL: '', REDIS_URL_FILE: fileOf('bad', 'http://secret') });
  expect(read).toThrow(/REDIS_URL: must be redis/);
  expect(read).not.toThrow(/secret/);
});

const mailBeside = { MAIL_FROM: 'watches@checks.example', PUBLIC_URL: 'https://checks.example' };
test.for([
  ['smtp://mail.example', 'mail.example', 587, false],
  ['smtp://mail.example:2525/', 'mail.example', 2525, false],
  ['smtps://mail.example', 'mail.example', 465, true],
  ['smtp://[2001:db8::1]:25', '2001:db8::1', 25, false],
] as const)('MAIL_URL %s names a server', ([MAIL_URL, host, port, isSecure]) => {
  expect(readConfig({ ...mailBeside, MAIL_URL })).toMatchObject({ MAIL_URL });
  expect(parseMailUrl(MAIL_URL)).toEqual({ host, port, isSecure, login: undefined });
});

test('the login in MAIL_URL may be percent-encoded', () => {
  expect(parseMailUrl('smtps://a%40b:c%3Ad@mail.example')?.login).toEqual({ user: 'a@b', password: 'c:d' });
});

test.for([
  [{ MAIL_URL: 'smtp://mail.example' }, 'MAIL_URL and MAIL_FROM: must be set both or neither'],
  [{ MAIL_FROM: 'watches@checks.example' }, 'MAIL_URL and MAIL_FROM: must be set both or neither'],
  [{ ...mailBeside, MAIL_URL: 'https://mail.example' }, 'MAIL_URL: must be smtp://'],
  [{ ...mailBeside, MAIL_URL: 'smtp://user@mail.example' }, 'MAIL_URL: must be smtp://'],
  [
    { ...mailBeside, MAIL_URL: 'smtp://mail.example', MAIL_FROM: 'Me <me@x.example>' },
    'MAIL_FROM: must be one',
  ],
  [{ MAIL_URL: 'smtp://mail.example', MAIL_FROM: 'me@x.example' }, 'PUBLIC_URL: must be an https URL'],
  [
    { ...mailBeside, MAIL_URL: 'smtp://mail.example', PUBLIC_URL: 'http://checks.example' },
    'PUBLIC_URL: must be an https URL',
  ],
] as const)('mail that is set by halves is refused by name: %j', ([settings, fault]) => {
  expect(() => readConfig(settings)).toThrow(fault);
});
