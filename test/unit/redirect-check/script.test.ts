import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findAddressSetter } from '../../../worker/checks/redirect-check/gather/script.ts';
import { million, readsPerCharacter } from './count-reads.ts';

const setsAddress = (script: string) => findAddressSetter(script) !== undefined;

const setting = [
  'location = "/b"',
  'location="/b"',
  "window.location = '/b';",
  'document.location=`/b`',
  'self . location . href = "/b"',
  'top.location.href="/b"',
  'parent.location = url',
  'location.replace("/b")',
  'window.location.assign("/b");',
  'var a = 1;\nlocation.href = "/b";',
  'var a = 1; location.href = "/b";',
  'var f = function () { return 1 }; location = "/b"',
  'function f() { return "}" }\nlocation = "/b"',
  '/* { */ location = "/b"',
  '// {\nlocation = "/b"',
  '<!--\nlocation = "/b"\n-->',
  'var brace = "{"; location = "/b"',
  "var brace = '\\'{'; location = '/b'",
  'if (a) { b() } location.href = "/b"',
  '(location.replace("/b"))',
  'location\n  .replace("/b")',
  'if (isOld) location = "/b"',
  'if (isOld) { location = "/b" } else { a() }',
  'if (isOld) { a() } else { location = "/b" }',
  'if (isOld) a(); else location = "/b"',
  'try { location.replace("/b") } catch (e) {}',
  'setTimeout(function () { location = "/b" }, 100)',
  'setTimeout(() => { location.href = "/b" }, 100)',
  'window.onload = function () { location = "/b" }',
  'window.onload = () => { location = "/b" }',
  'window.addEventListener("load", function () { location = "/b" })',
  '(function () { if (a) { location = "/b" } })()',
  '(() => { location = "/b" })()',
  '!function () { location = "/b" }()',
  'setTimeout(() => location.href = "/b", 100)',
  'setTimeout("location.href=\'/b\'", 1000)',
  'window.onload = () => location.replace("/b")',
  '(() => location.replace("/b"))()',
  'isOld && location.replace("/b")',
  'isOld ? location.replace("/a") : location.replace("/b")',
  '(function () { return location.replace("/b") })()',
  'window.top.location.href = "/b"',
  'globalThis.location.href = "/b"',
  'switch (x) { case 1: location = "/b" }',
  'for (;;) { location = "/b"; break }',
  '{ location = "/b" }',
  'function go() { location = "/b" } go();',
  'function go() { location = "/b" }\nsetTimeout(go, 500)',
  'window.onload = go; function go() { location = "/b" }',
  'window.addEventListener("load", go); function go() { location = "/b" }',
  'const go = () => { location = "/b" }; go()',
  'async function main() { go() } function go() { location = "/b" } main()',
  '$(document).ready(function () { location = "/b" })',
  'jQuery(function ($) { location = "/b" })',
  'fetch("/x").then((response) => { location = "/b" })',
  'requestAnimationFrame(() => { location = "/b" })',
  'void function () { location = "/b" }()',
  'if (location.protocol !== "https:") location.protocol = "https:"',
];

test.for(setting)('%j sets the address as the page loads', (script) => {
  expect(setsAddress(script)).toBe(true);
});

const leaving = [
  '',
  'var here = location.href;',
  'if (location.protocol == "http:") a()',
  'location == "/b"',
  'location.href === "/b"',
  'location.hash = "#b"',
  'location.reload()',
  'locations = ["/b"]',
  'my.location = "/b"',
  'mylocation = "/b"',
  'const f = location => 1',
  'function go() { location = "/b" }',
  'function go() { location = "/b" } button.onclick = go',
  'function go() { location = "/b" } button.addEventListener("click", go)',
  'function never() { go() } function go() { location = "/b" }',
  'button.onclick = () => location.href = "/b"',
  'button.addEventListener("click", () => location.assign("/b"))',
  'const go = (to) => (location.href = to)\nvar a = 1',
  'try { a() } catch (e) { location = "/b" }',
  'var page = { go: function () { location = "/b" } }',
  'class Page { go() { location = "/b" } }',
  'setTimeout("go()", 1)',
  'button.addEventListener("click", function () { location = "/b" })',
  '$(a).click(function () { if (b) { location = "/b" } })',
  'setTimeout(function () { go = () => { location = "/b" } })',
  'const go = () => { location.replace("/b") }',
  'button.onclick = function () { window.location.href = "/b" }',
  '// location = "/b"',
  '/* location = "/b" */',
  'var text = "; location = 1"',
  "var text = ';location=1'",
  'var text = `\nlocation = 1`',
  'var text = "\\"; location = 1"',
  '/* never closed location = "/b"',
  '`never closed\nlocation = "/b"',
];

test.for(leaving)('%j leaves the visitor where he is, as far as we can tell', (script) => {
  expect(setsAddress(script)).toBe(false);
});

test('no text makes it throw', () => {
  const words = fc.constantFrom(
    'location',
    '.',
    'href',
    '=',
    '"',
    "'",
    '`',
    '\\',
    '{',
    '}',
    '/*',
    '*/',
    '//',
    '\n',
    ' ',
    ';',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(words).map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (script) => {
        expect(setsAddress(script)).toBeTypeOf('boolean');
      },
    ),
  );
});

test.for([
  'location ',
  'window.',
  ' ',
  '\n',
  '"',
  '{',
  '/*',
  '//',
  'location = ',
  '(',
  '`\\',
  'a=>',
  'f();',
  'function f(){f()}f();',
])('a million characters of %j are read at most 20 times', (piece) => {
  const script = `location.reload();${million(piece)}`;
  expect(readsPerCharacter(setsAddress, script)).toBeLessThan(20);
});

test.for([
  ['location = "/b"', '/b'],
  ["window.location.replace('https://b.test/x?y')", 'https://b.test/x?y'],
  ['location.href = `/b`', '/b'],
  ['location = `/b/${id}`', null],
  ['location = `https://${location.host}/b`', 'https://${location.host}/b'],
  ['location = "/b" + id', null],
  ['location.href = "https:" + "//b.test" + window.location.pathname;', 'https://b.test${location.pathname}'],
  ['location.href = "/b" + location.search.slice(1)', null],
  ['var to = "/b"; location.href = to;', '/b'],
  ['var to = "/a"; if (x) to = "/b"; location.href = to;', null],
  ['location.pathname = "/b"', null],
  ['location = "/b".concat(id)', null],
  ['location = url', null],
  ['location = "/a\\/b"', '/a/b'],
  ['setTimeout(function () { location.assign("/b") }, 1)', '/b'],
] as const)('%s leads to %s', ([script, target]) => {
  expect(findAddressSetter(script)).toEqual({ target });
});
