import { expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { type AddressPolicy, classifyAddress, parseCidr } from '#shared/targets/classify-address';
import {
  isRegistrable,
  parseDomain,
  parseHttpUrl,
  siteOf,
  type TargetPolicy,
} from '#shared/targets/parse-target';
import { publicAddresses, refusedAddresses } from '../fixtures/guard/addresses.ts';

const addresses: AddressPolicy = { allow: [], deny: [] };
const policy: TargetPolicy = {
  addresses,
  allowedSuffixes: [],
  ports: [
    [80, 80],
    [443, 443],
    [8080, 8080],
    [8443, 8443],
  ],
};

test.for(refusedAddresses)('the address %j is refused', (address) => {
  expect(classifyAddress(address, addresses).kind).toBe('refused');
});

test.for(publicAddresses)('the address %s is public', (address) => {
  expect(classifyAddress(address, addresses)).toEqual({ kind: 'public', address });
});

test('an address of this machine is refused, also when it is public; the operator may allow it', () => {
  const own = ['9.9.9.9', '2620:fe::fe'];
  const allow = [parseCidr('9.9.9.9')];
  expect(classifyAddress('9.9.9.9', { ...addresses, own })).toEqual({ kind: 'refused', rule: 'own-address' });
  expect(classifyAddress('2620:FE:0::fe', { ...addresses, own }).kind).toBe('refused');
  expect(classifyAddress('9.9.9.10', { ...addresses, own }).kind).toBe('public');
  expect(classifyAddress('9.9.9.9', { ...addresses, own, allow }).kind).toBe('public');
});

test.for([
  ['2606:4700::5efe:192.168.0.1', 'refused'],
  ['2606:4700::200:5efe:10.0.0.1', 'refused'],
  ['2606:4700:1:2:0:5efe:7f00:1', 'refused'],
  ['2606:4700::5efe:8.8.8.8', 'public'],
  ['2606:4700::200:5efe:808:808', 'public'],
  ['2606:4700::100:5efe:10.0.0.1', 'public'],
] as const)('an ISATAP id leads to the IPv4 address inside: %s is %s', ([address, kind]) => {
  expect(classifyAddress(address, addresses).kind).toBe(kind);
});

test('the settings’ policy knows the addresses of this machine', () => {
  expect(targetPolicyOf(readConfig({})).addresses.own).toContain('127.0.0.1');
});

test.for([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['bücher.example.com', 'xn--bcher-kva.example.com'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['ex。ample.com', 'ex.ample.com'],
])('the domain %s reads as %s', ([text, name]) => {
  expect(parseDomain(text ?? '', policy)).toEqual({ ok: true, value: name });
});

test.for([
  ['', 'malformed'],
  ['https://example.com/', 'malformed'],
  ['a@example.com', 'malformed'],
  ['*.example.com', 'malformed'],
  ['example.com\\.evil.com', 'malformed'],
  ['exa mple.com', 'malformed'],
  ['a..example.com', 'malformed'],
  ['-a.example.com', 'malformed'],
  ['a-.example.com', 'malformed'],
  [`${'a'.repeat(64)}.com`, 'malformed'],
  [`${'a.'.repeat(127)}com`, 'malformed'],
  ['127.0.0.1', 'malformed'],
  ['2130706433', 'malformed'],
  ['0x7f000001', 'malformed'],
  ['1.2.3.4.', 'malformed'],
  ['a.123', 'malformed'],
  ['localhost', 'refused'],
  ['a.test', 'refused'],
  ['com', 'refused'],
  ['x.home.arpa', 'refused'],
  ['abc.onion', 'refused'],
  ['1.0.0.127.in-addr.arpa', 'refused'],
  ['example.com:80', 'malformed'],
  ['example.com..', 'malformed'],
  ['exa\u202emple.com', 'malformed'],
  ['xn--a.example.com', 'malformed'],
] as const)('the domain %j is %s', ([text, kind]) => {
  const parsed = parseDomain(text, policy);
  expect(parsed.ok ? 'good' : parsed.fault.kind).toBe(kind);
}); // prettier-ignore

test.for([
  ['HTTPS://Example.com:443/a/../b?x=1#y', 'https://example.com/b?x=1'],
  ['http://example.com.', 'http://example.com/'],
  ['http://8.8.8.8/', 'http://8.8.8.8/'],
  ['http://0x08.8.8.8/', 'http://8.8.8.8/'],
  ['https://example.com:8443', 'https://example.com:8443/'],
])('the URL %s reads as %s', ([text, href]) => {
  const parsed = parseHttpUrl(text ?? '', policy);
  expect(parsed.ok && parsed.value.href).toBe(href);
});

test.for([
  ['example.com', 'malformed'],
  ['//example.com', 'malformed'],
  ['example.com:8080/x', 'malformed'],
  ['http://', 'malformed'],
  ['http://exa mple.com/', 'malformed'],
  ['http://a\\b.com/', 'malformed'],
  ['http://u:p@example.com/', 'malformed'],
  ['http://[bad', 'malformed'],
  [`http://example.com/${'a'.repeat(2048)}`, 'malformed'],
  ['http://a..b.com/', 'malformed'],
  ['ftp://example.com/', 'refused'],
  ['javascript:alert(1)', 'refused'],
  ['data:text/html,x', 'refused'],
  ['file:///etc/passwd', 'refused'],
  ['http://example.com:25/', 'refused'],
  ['http://localhost/', 'refused'],
  ['http://127.0.0.1/', 'refused'],
  ['http://127.1/', 'refused'],
  ['http://2130706433/', 'refused'],
  ['http://0177.0.0.1/', 'refused'],
  ['http://0x7f.1/', 'refused'],
  ['http://[::1]/', 'refused'],
  ['http://[::ffff:127.0.0.1]/', 'refused'],
  ['http://[64:ff9b::7f00:1]/', 'refused'],
  ['http://１２７.0.0.1/', 'refused'],
  ['http://127。0。0。1/', 'refused'],
  ['http://127.0.0.1./', 'refused'],
  ['http://a.internal/', 'refused'],
  ['http://router/', 'refused'],
  ['http://%31%32%37.0.0.1/', 'refused'],
] as const)('the URL %j is %s', ([text, kind]) => {
  const parsed = parseHttpUrl(text, policy);
  expect(parsed.ok ? 'good' : parsed.fault.kind).toBe(kind);
}); // prettier-ignore

test('a site is the registrable domain, with private suffixes; else the host itself', () => {
  expect(['a.b.example.com', 'x.a.github.io', 'github.io', '8.8.8.8', 'a.test'].map(siteOf)).toEqual([
    'example.com',
    'a.github.io',
    'github.io',
    '8.8.8.8',
    'a.test',
  ]);
});

test('exceptions of the operator work both ways, and deny is the stronger', async () => {
  const { parseCidr } = await import('#shared/targets/classify-address');
  const exceptions = {
    allow: [parseCidr('127.0.0.0/8')],
    deny: [parseCidr('127.0.0.9'), parseCidr('8.8.8.0/24')],
  };
  expect(
    ['127.0.0.1', '127.0.0.9', '8.8.8.8', '10.0.0.1', '::1'].map(
      (address) => classifyAddress(address, exceptions).kind,
    ),
  ).toEqual(['public', 'refused', 'refused', 'refused', 'refused']);
});

test.for([
  ['example.com', true],
  ['example.co.uk', true],
  ['a.test', true],
  ['www.example.com', false],
  ['a.github.io', false],
  ['co.uk', false],
  ['192.0.2.1', false],
] as const)('%s is registrable: %s', ([domain, is]) => {
  expect(isRegistrable(domain)).toBe(is);
});
