import fc from 'fast-check';

const label = fc.constantFrom(
  'a',
  'b-1',
  '_spf',
  'example',
  'x'.repeat(63),
  '',
  'é',
  '%{d}',
  '%{i1r-}',
  '%%',
  '1',
);
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const prefix = fc.constantFrom('', '/24', '/0', '/33', '//64', '/24//64', '//129', '/', '/024', '/x');
const address4 = fc.constantFrom(
  '192.0.2.1',
  '192.0.2',
  '192.0.2.256',
  '0.0.0.0',
  '192.0.02.1',
  '2001:db8::1',
  '',
);
const address6 = fc.constantFrom(
  '2001:db8::',
  '::',
  '::1',
  '2001:db8::1::2',
  '::ffff:192.0.2.1',
  '192.0.2.1',
  'fe80::1%1',
);
const qualifier = fc.constantFrom('', '+', '-', '~', '?', '--');
const mechanism = fc.constantFrom(
  'a',
  'mx',
  'ptr',
  'include',
  'exists',
  'all',
  'A',
  'Mx',
  'foo',
  'ip4',
  'ip6',
);
const modifier = fc.constantFrom('redirect', 'exp', 'Redirect', 'x-1', 'default', '1a', '');

const term = fc.oneof(
  fc.tuple(qualifier, fc.constantFrom('a', 'mx'), name, prefix).map(([q, m, n, p]) => `${q}${m}:${n}${p}`),
  fc.tuple(qualifier, fc.constantFrom('a', 'mx', 'ptr', 'all'), prefix).map(([q, m, p]) => `${q}${m}${p}`),
  fc.tuple(qualifier, mechanism, name).map(([q, m, n]) => `${q}${m}:${n}`),
  fc.tuple(fc.constantFrom('ip4:', 'ip6:', 'ip4'), address4, prefix).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('ip6:', 'ip4:'), address6, prefix).map((parts) => parts.join('')),
  fc.tuple(modifier, name).map(([m, n]) => `${m}=${n}`),
  fc.constantFrom('-all', '~all', '?all', 'all', '+all', '', 'a', 'mx', 'ptr'),
);

/** SPF records, most of them nearly right. */
export const spfRecord = fc
  .tuple(
    fc.constantFrom('v=spf1', 'v=spf1', 'v=spf1', 'V=SPF1', 'v=spf1\t', 'v=spf'),
    fc.array(term, { maxLength: 6 }),
    fc.constantFrom(' ', ' ', '  '),
  )
  .map(([version, terms, blank]) => [version, ...terms].join(blank));

const blank = fc.constantFrom('', '', ' ', '  ', '\t');
const tagName = fc.constantFrom(
  'p',
  'sp',
  'np',
  'adkim',
  'aspf',
  'fo',
  'rua',
  'ruf',
  'psd',
  't',
  'pct',
  'ri',
  'x',
  'P',
  '',
  'p q',
  '__proto__',
  'constructor',
);
const tagValue = fc.constantFrom(
  'none',
  'quarantine',
  'reject',
  'REJECT',
  'rejects',
  '',
  'y',
  'n',
  'u',
  'r',
  's',
  '0:d:s',
  '1:1',
  '50',
  'mailto:a@example.test',
  'mailto:a@example.test!10m, mailto:b@b.example',
  'a@example.test',
  'https://example.test/x',
  'mailto:',
  'a=b',
  'é',
);
const tag = fc
  .tuple(blank, tagName, blank, fc.constantFrom('=', '=', '=', ''), blank, tagValue, blank)
  .map((parts) => parts.join(''));

/** DMARC records, most of them nearly right. */
export const dmarcRecord = fc
  .tuple(
    fc.constantFrom(
      'v=DMARC1',
      'v=DMARC1',
      'v=DMARC1',
      'V=DMARC1',
      'v = DMARC1 ',
      'v=dmarc1',
      ' v=DMARC1',
      'p=none',
    ),
    fc.array(tag, { maxLength: 5 }),
    fc.constantFrom('', ';', ' ; '),
  )
  .map(([version, tags, end]) => [version, ...tags].join(';') + end);
