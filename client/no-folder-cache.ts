import type { AnswerCache } from './answer-cache.ts';

/** What a browser, or a bundler for one, has in the place of the cache in a folder. */
export function openFolderCache(_folder: string): AnswerCache {
  throw new Error('A cache in a folder needs Node. Use "memory", or a cache of your own.');
}
