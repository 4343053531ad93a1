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
  'window["location"] = "/b"',
  "window['location']['href'] = '/b'",
  'document["location"].replace("/b")',
  'self["location"]["assign"]("/b")',
  'document.forms[0].submit()',
  'document["forms"]["f"].submit()',
  'document.getElementById("f").submit();',
  'window.onload = function () { document.f.submit() }',
  'setTimeout("document.f.submit()", 10)',
  '$("#f").submit()',
  'f.requestSubmit()',
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
  'names["location"]',
  'button.onclick = function () { document.f.submit() }',
  '$("#f").submit(function () { return false })',
  'submit()',
  'f.onsubmit = check',
];

test.for(leaving)('%j leaves the visitor where he is, as far as we can tell', (script) => {
  expect(setsAddress(script)).toBe(false);
});

const here = { page: 'https://a.test/x?y=1', base: 'https://a.test/x', forms: [] };

/** What is no redirect on the page `here`, which is over https and in no frame. */
const staying = [
  'if (location.protocol !== "https:") location.protocol = "https:"',
  'if (location.protocol != "https:") { location.href = "https:" + location.href.substring(5) }',
  'if (window.location.protocol === "http:") window.location = "https://" + location.host',
  'if ("http:" == document.location.protocol) location.replace(location.href.replace("http:", "https:"))',
  'if (location.protocol == "http:" && !isLocal) location = "/b"',
  'if (location.href.indexOf("https://") !== 0) location = "/b"',
  'if (location.href.indexOf("https:") == -1) { go() } function go() { location = "/b" }',
  'if (location.href.startsWith("http:")) location = "/b"',
  'if (!location.href.startsWith("https:")) location = "/b"',
  'if (location.href.substring(0, 5) !== "https") location = "/b"',
  'if (location.protocol.toLowerCase() !== "https:") location = "/b"',
  'if (location.protocol === "https:") { a() } else { location = "/b" }',
  'if (location.protocol === "https:") a(); else location = "/b"',
  'location.protocol === "https:" || location.replace("/b")',
  'location.protocol !== "https:" && location.replace("/b")',
  'location.protocol !== "https:" && (location.href = "/b")',
  'location.protocol === "http:" ? location.replace("/b") : a()',
  'location.protocol === "https:" ? a() : location.replace("/b")',
  '(function () { if (location.protocol === "https:") return; location = "/b" })()',
  '(function () { if (location.protocol === "https:") { return }\n location = "/b" })()',
  'if (window["location"]["protocol"] !== "https:") window["location"] = "/b"',
  'if (location.hostname !== "a.test") location.hostname = "a.test"',
  'if (location.port) location.port = ""',
  'if (top !== self) top.location = self.location',
  'if (window.top != window.self) { window.top.location.href = "/b" }',
  'if (self == top) { a() } else { top.location = "/b" }',
  'location.protocol = "https:"',
  'location = "https://" + location.host + location.pathname + location.search',
  'top.location = self.location',
  'location.href = location.href + "#top"',
  'location = "?y=1"',
  'document.forms[0].submit()',
];

test.for(staying)('%j leaves the visitor of an https page there', (script) => {
  expect(findAddressSetter(script, here)).toBeUndefined();
});

/** What is one, on the same page. */
const going: readonly (readonly [script: string, target: string | null])[] = [
  ['if (location.protocol === "https:") location = "/b"', '/b'],
  ['if (location.protocol !== "https:") a(); location = "/b"', '/b'],
  ['if (location.protocol !== "https:") { a() }\nlocation = "/b"', '/b'],
  ['if (location.protocol !== "https:") { a() } else location = "/b"', '/b'],
  ['if (isOld || location.protocol !== "https:") location = "/b"', '/b'],
  ['if (isOld) { location = "/b" }', '/b'],
  ['if (location.hostname === "a.test") location.hostname = "www.a.test"', 'https://www.a.test/x?y=1'],
  ['if (top === self) location = "/b"', '/b'],
  ['location.protocol = "http:"', 'http://a.test/x?y=1'],
  ['location.pathname = "/b"', 'https://a.test/b?y=1'],
  ['location = "?y=2"', '?y=2'],
  ['var f = document.createElement("form"); f.submit()', null],
];

test.for(going)('%s sends the visitor of an https page to %s', ([script, target]) => {
  expect(findAddressSetter(script, here)).toEqual({ target });
});

const login = { names: ['login', 'f'], action: 'https://b.test/in' };
const own = { names: ['own'], action: here.page };
test.for([
  ['document.forms[0].submit()', [login], login.action],
  ['f.submit()', [login], login.action],
  ['f.submit()', [login, own], null],
  ['document.login.submit()', [own, login], login.action],
  ['document.getElementById("f").submit()', [own, login], login.action],
  ['document.querySelector("#login").submit()', [own, login], login.action],
  ['document.forms[7].submit()', [login], null],
] as const)('%s sends one of %j to %s', ([script, forms, target]) => {
  expect(findAddressSetter(script, { ...here, forms })).toEqual({ target });
});

test('a form that leads to its own page is no redirect', () => {
  expect(findAddressSetter('document.forms[0].submit()', { ...here, forms: [own] })).toBeUndefined();
});

test('no text makes it throw', () => {
  const words = fc.constantFrom(
    'location',
    'if (top',
    '||',
    '&&',
    '!',
    '(',
    ')',
    '?',
    ':',
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
        expect(() => findAddressSetter(`if (${script}) {}`, here)).not.toThrow();
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
  'if(top){',
  'if(location)a();else b();',
  'a&&location=1;',
])('a million characters of %j are read at most 20 times', (piece) => {
  const script = `location.reload();${million(piece)}`;
  expect(readsPerCharacter(setsAddress, script)).toBeLessThan(20);
});

/** Thread CPU, which other work on the machine does not lengthen. */
const cpuMs = (work: () => void) => {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1000;
};

test.for([
  'if(top){',
  'if(location)if(top)',
  'if(location)a();else b();',
  'a&&location="/x";',
  'f.submit(1);',
])('twice as much of %j on a page costs about twice the time', (piece) => {
  const measure = (count: number) => {
    const script = piece.repeat(count);
    return Math.min(...[0, 1, 2].map(() => cpuMs(() => findAddressSetter(script, here))));
  };
  measure(2000);
  expect(measure(40_000)).toBeLessThan(12 * measure(10_000) + 50);
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
