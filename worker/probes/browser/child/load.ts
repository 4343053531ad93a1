import type { FrameObservation, LoadObservation } from '../port.ts';
import { bagOf, finiteOf, listOf, textOf } from '../untyped.ts';
import { readMainThread } from './main-thread.ts';

const mostFrames = 10;
/** Base64 of all frames together: 96 kB of pictures. */
const frameCharacters = 131_072;

/** How the page loaded, of Lighthouse's audits: its pictures in order, and its main thread. Every part is looked at before it is believed. */
export function readLoad(audits: { readonly [id: string]: { readonly details?: unknown } }): LoadObservation {
  let left = frameCharacters;
  const frames = listOf(bagOf(audits['screenshot-thumbnails']?.details)['items'])
    .slice(0, mostFrames)
    .map(bagOf)
    .flatMap(({ timing, data }): readonly FrameObservation[] => {
      const atMs = finiteOf(timing);
      const jpeg = textOf(data).replace(/^data:image\/jpeg;base64,/, '');
      left -= jpeg.length;
      return atMs === undefined || jpeg === '' || left < 0 ? [] : [{ atMs: Math.round(atMs), jpeg }];
    });
  return { frames, mainThread: readMainThread(audits) };
}
