import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findScriptTarget } from '../../../worker/checks/redirect-check/gather/script.ts';
import { openWork } from '../../../worker/probes/work.ts';
import { million } from './count-reads.ts';

const page = 'https://a.test/x?y=1';
const find = (text: string) => findScriptTarget({ text, base: page }, page, openWork(undefined, Infinity));

const setting = [
  'location = "/b"',
  'location="/b"',
  "window.location = '/b';",
  'document.location=`/b`',
  'self . location . href = "/b"',
  'top.location.href="/b"',
  'globalThis.location.href = "/b"',
  'window.top.location.href = "/b"',
  'location.replace("/b")',
  'window.location.assign("/b");',
  'location.href = "\\/b"',
  'var a = 1;\nlocation.href = "/b";',
  'var a = 1\nlocation.href = "/b"',
  'var f = function () { return 1 }; location = "/b"',
  'function f() { return "}" }\nlocation = "/b"',
  '/* { */ location = "/b"',
  '// {\nlocation = "/b"',
  '<!--\nlocation = "/b"\n-->',
  "var brace = '\\'{'; location = '/b'",
  'if (a) { b() } location.href = "/b"',
  '(location.replace("/b"))',
  'location\n  .replace("/b")',
  'if (isOld) location = "/b"',
  'if (isOld) { a() } else { location = "/b" }',
  'try { location.replace("/b") } catch (e) {}',
  'isOld && location.replace("/b")',
  'isOld ? location.replace("/b") : a()',
  '{ location = "/b" }',
  'setTimeout(function () { location = "/b" }, 100)',
  'setTimeout(() => { location.href = "/b" }, 100)',
  'setTimeout(() => location.href = "/b", 100)',
  'window.onload = function () { location = "/b" }',
  'window.onload = () => location.replace("/b")',
  'window.addEventListener("load", function () { location = "/b" })',
  'document.addEventListener("DOMContentLoaded", () => { location = "/b" })',
  '(function () { if (a) { location = "/b" } })()',
  '(async () => { location = "/b" })()',
  '!function () { location = "/b" }()',
  '(() => location.replace("/b"))()',
  '$(document).ready(function () { location = "/b" })',
  'jQuery(function ($) { location = "/b" })',
];

test.for(setting)('%j sends the visitor to /b as the page loads', async (script) => {
  expect(await find(script)).toBe('https://a.test/b');
});

const staying = [
  '',
  'var here = location.href;',
  'location == "/b"',
  'location.hash = "#b"',
  'locations = ["/b"]',
  'my.location = "/b"',
  'mylocation = "/b"',
  // Computed: nobody can tell without running it.
  'location = url',
  'location = "/b" + id',
  'location = `/b/${id}`',
  'location = "/b".concat(id)',
  // To the page itself.
  'location = "#top"',
  'location = "?y=1"',
  'location.href = "https://a.test/x?y=1#b"',
  'location = "http://["',
  // Functions that wait.
  'function go() { location = "/b" }',
  'const go = () => { location.replace("/b") }',
  'button.onclick = () => location.href = "/b"',
  'button.onclick = function () { window.location.href = "/b" }',
  'button.addEventListener("click", function () { location = "/b" })',
  '$(a).click(function () { if (b) { location = "/b" } })',
  'setTimeout(function () { go = () => { location = "/b" } })',
  'try { a() } catch (e) { location = "/b" }',
  'var page = { go: function () { location = "/b" } }',
  'class Page { go() { location = "/b" } }',
  // Text.
  '// location = "/b"',
  '/* location = "/b" */',
  '/* never closed location = "/b"',
  'var text = \';location="/b"\'',
  'var text = "\\"; location = 1"',
  // Conditions on the own address, which may never be met here.
  'if (location.protocol !== "https:") location = "https://www.a.test/"',
  'if (location.protocol !== "https:") { location = "https://www.a.test/" }',
  'location.hostname === "a.test" || location.replace("https://a.test/")',
  'location.protocol !== "https:" && (location.href = "/b")',
];

test.for(staying)('%j keeps the visitor, as far as one can tell', async (script) => {
  expect(await find(script)).toBeNull();
});

test('no text makes it throw', async () => {
  const words = fc.constantFrom(
    'location',
    'if (top',
    '&&',
    '(',
    ')',
    '=>',
    '.href',
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
  const script = fc.oneof(
    fc.array(words).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  await fc.assert(
    fc.asyncProperty(script, async (text) => {
      expect(await find(text)).toSatisfy((found) => found === null || typeof found === 'string');
    }),
  );
});

test.for([
  'location ',
  'location="',
  'location="a"+',
  'window.',
  'window . ',
  ' ',
  '\n',
  '"',
  '`',
  '{',
  '}',
  '/*',
  '//',
  '(',
  '\\',
  '=>{',
  '!function(){',
  '!function ',
  '!!(!(a=>{',
  'if(location){',
  'if(if(if({',
  'location?(location="a"+{',
])('a million characters of %j are read in one pass', async (piece) => {
  const before = process.threadCpuUsage();
  await find(million(piece));
  const { user } = process.threadCpuUsage(before);
  // A quadratic reader would need minutes. This one needs 0.2 s at most.
  expect(user).toBeLessThan(3_000_000);
});
