import type { CheckSpec } from '#shared/catalogue/spec';
import type { Ask } from '../request/ask.ts';
import type { Caller } from '../request/caller.ts';

/** One visit of a tool's page, understood. */
export type Visit = {
  readonly spec: CheckSpec;
  readonly ask: Ask;
  readonly caller: Caller;
  /** The page's own address, with the prefix. */
  readonly self: string;
  /** The whole address of the tool that it stands for, as a program asks it. */
  readonly program: string;
};
