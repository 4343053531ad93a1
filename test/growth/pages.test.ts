import { describe, expect, test } from 'vitest';
import { readPage } from '../../worker/checks/redirect-check/gather/read-page.ts';
import { readDocumentInTurns } from '../../worker/checks/security-header-check/gather/read-document.ts';
import type { Work } from '../../worker/probes/work.ts';
import { readLead } from '../../worker/web/page-refresh.ts';
import type { HttpResponse } from '../../worker/web/walk.ts';
import { containers } from './containers.ts';
import { referenceMs } from './measure.ts';
import { numbered, repeated } from './texts.ts';

const url = 'https://a.test/x';
const { most } = containers.page;

/** Work without end, that notes the CPU from one slice to the next. */
function openMeasuredWork(): {
  readonly work: Work;
  readonly end: () => { longestMs: number; allMs: number };
} {
  let longestMs = 0;
  let allMs = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    allMs += (user + system) / 1000;
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  const take = () => {
    look();
    return Promise.resolve(undefined);
  };
  return {
    work: { take },
    end: () => {
      look();
      return { longestMs, allMs };
    },
  };
}

async function measure(read: Read, html: string): Promise<{ longestMs: number; allMs: number }> {
  const { work, end } = openMeasuredWork();
  await read(html, work);
  return end();
}

type Read = (html: string, work: Work) => Promise<unknown>;

/** Every reader of pages, by the name of its export. */
const readers: readonly (readonly [name: string, read: Read])[] = [
  ['readPage', (html, work) => readPage(html, url, work)],
  ['readDocumentInTurns', (html, work) => readDocumentInTurns(html, url, work)],
  [
    'readLead',
    (html, work) =>
      readLead(
        { headers: [['Content-Type', 'text/html']], body: { text: html } } as unknown as HttpResponse,
        url,
        work,
      ),
  ],
];

const refresh = '<meta http-equiv=refreshed>';
const inScript = (piece: string) => (size: number) =>
  `${repeated('<script>location;', piece, size - 9)}</script>`;
const pieces = [
  '<b>',
  '</b>',
  '<p>',
  '<font><p>',
  '<a><b><p></a>',
  '<table><b>',
  '<table><tr><td>',
  '<template>',
  '<svg><math>',
  '<script>',
  '<script>location;</script>',
  '<style>',
  '<!--',
  '<![CDATA[',
  '&',
  '&notit;',
  '&#1;',
  '<title>',
  '\0',
  '<',
  '</',
  '<a b=',
  '<a b="',
  '<meta http-equiv=refresh content="0;x">',
  '<link rel=canonical>',
  '<base href=x>',
  '<img src=//a/ srcset="',
  '<select><option>',
  '<form>',
  '<li>',
  '<h1>',
  '<frameset>',
];
const pages: readonly (readonly [name: string, make: (size: number) => string])[] = [
  ...pieces.map((piece) => [piece, (size: number) => repeated(refresh, piece, size)] as const),
  ['attributes of one tag', (size) => numbered(`${refresh}<a `, 'a', ' ', size)],
  ['equal attributes of one tag', (size) => repeated(`${refresh}<a `, 'a ', size)],
  ['tags of many names', (size) => numbered(refresh, '<a', '>', size)],
  ['addresses of an image', (size) => `${repeated(`${refresh}<img srcset="`, '//a/ 1x,', size - 2)}">`],
  ['nothing between commas', (size) => `${repeated(`${refresh}<img srcset="`, ',', size - 2)}">`],
  ['relations of a link', (size) => `${repeated(`${refresh}<link rel="`, 'a ', size - 2)}">`],
  ['one address', (size) => `${repeated(`${refresh}<img src="//`, 'a.', size - 2)}">`],
  ['arrows', inScript('=>')],
  ['functions that are called', inScript('function f(){f()}f();')],
  ['timers', inScript('setTimeout("a");')],
  ['an assignment of spaces', inScript('location =  ')],
  [
    'an onload beside many scripts',
    (size) =>
      `${'<script>function a(){}location</script>'.repeat(Math.floor(size / 80))}${repeated('<body onload="function a(){b()}function b(){c()}a();location;', '=>', size / 2 - 2)}">`,
  ],
];

const limitMs = referenceMs();

/** What a page costs at its greatest size, and by how much more than a page a quarter as long. */
async function costOf(
  read: Read,
  make: (size: number) => string,
): Promise<{ longestMs: number; allMs: number; ratio: number }> {
  const whole = await measure(read, make(most));
  // What costs so little at its greatest size is no matter, however it grows.
  if (whole.allMs < limitMs / 3) return { ...whole, ratio: 1 };
  const quarter = await measure(read, make(most / 4));
  return { ...whole, ratio: whole.allMs / quarter.allMs };
}

describe('a page', () => {
  test.for(readers)('is read by %s in short turns, and each character once', async ([, read]) => {
    const slow: string[] = [];
    await measure(read, repeated(refresh, '<p>a<b>', most));
    for (const [name, make] of pages) {
      let cost = await costOf(read, make);
      const isBad = () => cost.longestMs > limitMs || (cost.ratio > 9 && cost.allMs > limitMs);
      // What else happens on the machine only adds to a measurement: what looks bad is measured again.
      for (let again = 0; again < 3 && isBad(); again += 1) cost = await costOf(read, make);
      const said = `${name}: turn ${cost.longestMs.toFixed(0)} ms, all ${cost.allMs.toFixed(0)} ms, ratio ${cost.ratio.toFixed(1)}`;
      if (process.env['GROWTH_TABLE'] !== undefined) console.log(said);
      if (isBad()) slow.push(said);
    }
    expect(slow, `turns of more than ${limitMs.toFixed(0)} ms, or worse than linear`).toEqual([]);
  });
});
