import type { Question } from '#shared/ask/question';
import type { Caller } from '#shared/limits/caller';
import { type Markup, markup } from '#shared/render/markup';

/** One visit of a tool's page, understood. */
export type Visit = {
  readonly question: Question;
  readonly caller: Caller;
  /** The page's own address, with the prefix. */
  readonly self: string;
  /** The whole address of the tool that it stands for, as a program asks it. */
  readonly program: string;
  /** What only the page itself reads: `job`, `part`, `again`, `recheck`. */
  readonly own: URLSearchParams;
};

/** The button that starts a check. */
export function startForm({ self }: Visit, words: string): Markup {
  return markup`<form class="start" action="${self}" method="post"><button type="submit">${words}</button></form>
`;
}
