import { chainKinds } from './chains.ts';
import type { Kind } from './kind.ts';
import { answerKinds } from './locations.ts';

/** Every kind of chain, in the order in which the table shows them. */
export const allKinds: readonly Kind[] = [...answerKinds, ...chainKinds];
