import { expect, test } from 'vitest';
import { openWork } from '../../../worker/probes/work.ts';
import { readTags } from '../../../worker/web/page-tags.ts';

const meta = '<meta http-equiv=refresh content="0;url=/there">';

async function seesMeta(html: string): Promise<boolean> {
  const tags: string[] = [];
  await readTags(
    `<!doctype html><body>${html}`,
    { onTag: ({ tagName }) => void tags.push(tagName) },
    openWork(),
  );
  return tags.includes('meta');
}

// Whether Chromium 153 obeys the meta element.
test.for([
  [true, `<svg><style>${meta}</style></svg>`],
  [true, `<svg><title>${meta}</title></svg>`],
  [true, `<svg><script>${meta}</script></svg>`],
  [true, `<svg><noscript>${meta}</noscript></svg>`],
  [true, `<svg><iframe>${meta}</iframe></svg>`],
  [true, `<svg><font><style>${meta}</style>`],
  [true, `<math><textarea>${meta}</textarea></math>`],
  [true, `<math><annotation-xml><style>${meta}</style></annotation-xml></math>`],
  [false, `<style>${meta}</style>`],
  [false, `<svg><foreignObject><style>${meta}</style></foreignObject></svg>`],
  [false, `<math><mtext><xmp>${meta}</xmp></mtext></math>`],
  [false, `<math><annotation-xml encoding="text/html"><style>${meta}</style></annotation-xml></math>`],
  [false, `<svg></svg><style>${meta}</style>`],
  [false, `<svg/><style>${meta}</style>`],
  [false, `<svg><p><style>${meta}</style>`],
  [false, `<svg><font color=red><style>${meta}</style>`],
  [false, `<svg></p><style>${meta}</style>`],
  [false, `<svg><g></svg><style>${meta}</style>`],
  [false, `<svg><![CDATA[${meta}]]></svg>`],
  [false, `<![CDATA[${meta}]]>`],
  [false, `<template><svg></template><style>${meta}</style>`],
] as const)('%s: %s', async ([isObeyed, html]) => {
  expect(await seesMeta(html)).toBe(isObeyed);
});
