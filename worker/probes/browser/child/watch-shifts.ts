import type { Page } from 'puppeteer-core';
import type { Evidence } from '#shared/model/verdict';
import type { PageObservation } from '../port.ts';
import { bagOf, finiteOf, textOf } from '../untyped.ts';
import { text } from './rows.ts';

/** A layout shift, and what stands now where the shifted element had stood. */
type SeenShift = { readonly score: number; readonly culprit: string };

const worldName = 'diagnostic-shifts';
const bindingName = 'tellShift';
const mostShifts = 100;

/**
 * Watches what pushes other things away: Lighthouse names the element that was moved, and a cause where it knows one, which an inserted banner
 * is not. Runs in a world of its own, which the page can neither see nor call.
 */
export async function watchShifts(page: Page): Promise<(seen: PageObservation) => PageObservation> {
  const shifts: SeenShift[] = [];
  const session = await page.createCDPSession();
  session.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name !== bindingName || shifts.length >= mostShifts) return;
    const told = bagOf(JSON.parse(payload));
    shifts.push({ score: finiteOf(told['score']) ?? 0, culprit: text(textOf(told['culprit'])) });
  });
  await session.send('Page.enable');
  await session.send('Runtime.enable');
  await session.send('Runtime.addBinding', { name: bindingName, executionContextName: worldName });
  await session.send('Page.addScriptToEvaluateOnNewDocument', {
    source: watchInPage,
    worldName,
  });
  return (seen) => ({
    ...seen,
    audits: seen.audits.map((audit) => (audit.id === 'layout-shifts' ? name(audit, shifts) : audit)),
  });
}

type ShiftAudit = PageObservation['audits'][number];

function name(audit: ShiftAudit, shifts: readonly SeenShift[]): ShiftAudit {
  const items = audit.items.map((row): Evidence => {
    if (row['culprits'] !== undefined) return row;
    // The numbers are of one event; Lighthouse's is rounded.
    const found = shifts.find(({ score }) => Math.abs(score - Number(row['score'])) < 1e-4);
    return found ? { ...row, culprits: [found.culprit] } : row;
  });
  return { ...audit, items };
}

/**
 * Runs in the page, in the world of its own. Of the elements that were moved down the largest tells how far: what stands in that space now, as a
 * whole, pushed it there. Where nothing stands there, as where the whole body moved, it was what changed last before the shift. Text, since
 * nothing here knows the types of pages.
 */
const watchInPage = String.raw`
if (window.top === window) {
  let left = ${mostShifts};
  const describe = ({ localName, id, classList }) =>
    (localName + (id && '#' + id) + [...classList].slice(0, 3).map((each) => '.' + each).join('')).slice(0, 200);
  let changes = [];
  new MutationObserver((records) => {
    const at = performance.now();
    for (const { target, addedNodes } of records.slice(-50))
      for (const node of addedNodes.length > 0 ? [...addedNodes].slice(-10) : [target])
        if (node.nodeType === 1) changes.push({ node, at });
    changes = changes.slice(-50);
  }).observe(document, { subtree: true, childList: true, attributeFilter: ['style', 'class', 'hidden', 'height', 'width'] });
  const isAround = (element, node) => element === document.body || element === document.documentElement || (element !== node && element.contains(node));
  const areaOf = ({ width, height }) => width * height;
  const findAbove = (node, from, to) => {
    const top = Math.max(0, from.top);
    const bottom = Math.min(innerHeight, to.top);
    if (bottom - top < 1) return null;
    let found = document.elementFromPoint(to.left + to.width / 2, (top + bottom) / 2);
    if (!found || isAround(found, node) || node.contains(found)) return null;
    for (let parent = found.parentElement; parent && !isAround(parent, node); parent = parent.parentElement) {
      const box = parent.getBoundingClientRect();
      if (box.top < top - 1 || box.bottom > to.top + 1) break;
      found = parent;
    }
    return found;
  };
  const findChanged = (node, to, startTime) => {
    const seen = changes
      .filter((change) => change.at <= startTime + 50 && change.at > startTime - 300 && !isAround(change.node, node))
      .map((change) => ({ node: change.node, box: change.node.getBoundingClientRect() }))
      .filter(({ box }) => areaOf(box) > 0 && box.top <= Math.max(to.top, 0) + 1 + (node === document.body ? innerHeight : 0));
    return seen.sort((one, other) => areaOf(other.box) - areaOf(one.box))[0]?.node ?? null;
  };
  const areaNow = ({ currentRect }) => areaOf(currentRect);
  new PerformanceObserver((list) => {
    for (const { sources, value, startTime, hadRecentInput } of list.getEntries()) {
      if (hadRecentInput || left <= 0) continue;
      const moved = sources.filter(({ node }) => node).sort((one, other) => areaNow(other) - areaNow(one));
      const down = moved.find(({ previousRect, currentRect }) => currentRect.top > previousRect.top);
      const [largest] = moved;
      const found =
        (down && findAbove(down.node, down.previousRect, down.currentRect)) ??
        (largest && findChanged(largest.node, largest.currentRect, startTime));
      if (!found) continue;
      left -= 1;
      ${bindingName}(JSON.stringify({ score: value, culprit: describe(found) }));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;
