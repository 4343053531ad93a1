import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeBlock, codeSpan, reference, renderMarkdown, sentence } from '#shared/render/markdown';
import { readMarkdown } from './readers.ts';
import { badChain, failed, goodChain, largeReport, reportOf } from './reports.ts';

test.for([
  {
    name: 'plain words stay',
    text: "The chain isn't short; see RFC 9110 §15.4 (e.g. 3.5% of IPv6).",
    shown: "The chain isn't short; see RFC 9110 §15.4 (e.g. 3.5% of IPv6).",
  },
  {
    name: 'an address is code, the full stop is not',
    text: 'Go to https://a.test/?b=1.',
    shown: 'Go to `https://a.test/?b=1`.',
  },
  {
    name: 'a host that would become a link is code',
    text: 'www.a.test and WWW.a',
    shown: '`www.a.test` and `WWW.a`',
  },
  {
    name: 'nobody is called by a mention',
    text: 'ask @octocat or a@b.test',
    shown: 'ask `@octocat` or `a@b.test`',
  },
  {
    name: 'no issue and no commit is referred to',
    text: '#1 GH-1 a/b#2 deadbee 1234567',
    shown: '`#1` `GH-1` `a/b#2` `deadbee` `1234567`',
  },
  {
    name: 'emphasis, markup and entities are code',
    text: '*a* __b__ ~c~ <d> &amp; $x$',
    shown: '`*a*` `__b__` `~c~` `<d>` `&amp`; `$x$`',
  },
  { name: 'a number does not begin a list', text: '1. first 2. second', shown: '`1`. first 2. second' },
  { name: 'a dash does not begin a list, and stays inside a sentence', text: '- a - b', shown: '`-` a - b' },
  { name: 'no emoji is made', text: ':tada: a: b', shown: '`:tada`: a: b' },
  { name: 'line feeds end nothing', text: 'a\n# b', shown: '`a␊#` b' },
  { name: 'blanks alone are shown', text: '  ', shown: '`  `' },
])('sentence: $name', ({ text, shown }) => {
  expect(sentence(text)).toBe(shown);
});

test.for([
  { text: 'a', span: '`a`' },
  { text: '', span: '(empty)' },
  { text: '`', span: '`` ` ``' },
  { text: 'a`b``c', span: '```a`b``c```' },
  { text: ' a', span: '`  a `' },
  { text: ' ', span: '` `' },
  { text: 'a\nb', span: '`a␊b`' },
])('code span of $text', ({ text, span }) => {
  expect(codeSpan(text)).toBe(span);
});

test('a code block has a fence longer than any in it', () => {
  expect(codeBlock('a\n```\nb')).toBe('````\na\n```\nb\n````');
});

test('a reference is a link by http alone', () => {
  expect(reference({ title: 'RFC 9110 §15', url: 'https://a.test/b?c&d)' })).toBe(
    '[RFC 9110 §15](<https://a.test/b?c&amp;d%29>)',
  );
  expect(reference({ title: 'x](y)', url: 'javascript:alert(1)' })).toBe('`x](y)` `javascript:alert(1)`');
});

test('any text as code span or sentence is read back as one line without markup', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(...'` * _ [ ] ( ) < > ! # - + = | ~ \\ \n & ; : / @ w . 1 a'.split(' '), ' '),
      }),
      (first, second) => {
        for (const text of [first, second]) {
          expect(readMarkdown(`**Fix:** ${codeSpan(text)}`)).toHaveLength(1);
          expect(readMarkdown(`**Fix:** ${sentence(text)}`)).toHaveLength(1);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('a code span gives its text back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', ' ', 'a', '``') }), (text) => {
      const [piece] = readMarkdown(`- ${codeSpan(text)}`);
      expect(piece?.text).toBe(text === '' ? '(empty)' : `C ${text}`);
    }),
  );
});

test('a report becomes an issue: what, why, fix, evidence, where it is written', async () => {
  const text = renderMarkdown(await badChain());
  expect(text).toContain('# Redirects: `http://a.test/`\n');
  expect(text).toMatch(/^\*\*Score: \d+ of 100, grade F\*\* · complete · checked 2026-11-21 03:00:00 UTC/m);
  expect(text).toContain(
    '### Critical: The chain leaves HTTPS\n\n`https-downgrade` · −50 points\n\nHop 2 sends the visitor from `https://a.test/` to',
  );
  expect(text).toContain('- Hop: `2`, From: `https://a.test/`');
  expect(text).toContain(
    'See [RFC 9110 §4.2.2](<https://www.rfc-editor.org/rfc/rfc9110.html#section-4.2.2>).',
  );
});

test('a report without findings says so, a failed one says that it says nothing', async () => {
  expect(renderMarkdown(await goodChain())).toContain('## Findings\n\nNone.\n');
  expect(renderMarkdown(failed())).toContain('**Score: no score**');
  expect(renderMarkdown(failed())).toContain('This says nothing about the target');
});

test('a record to publish stands in a block', () => {
  expect(renderMarkdown(reportOf((place) => `p${place}`))).toContain('```\np20. IN TXT "p21"\n```');
});

test('a large report still fits an issue', () => {
  expect(renderMarkdown(largeReport(300_000)).length).toBeLessThan(65_536);
});

test('a reason that keeps us from many rules is told once, with all of them', () => {
  const text = renderMarkdown(failed());
  const lines = text.split('\n').filter((line) => line.includes('the check could not be finished'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('`https-downgrade`');
});
