import type { HttpResponse } from './walk.ts';

type See<Seen, Rest extends readonly unknown[]> = (answer: HttpResponse, url: string, ...rest: Rest) => Seen;

/**
 * Makes a reading that reads an answer once for each address that led to it: the chains of a site mostly end at one page, which is
 * asked for once. What was read is kept as long as the answer itself.
 */
export function oncePerAnswer<Seen, Rest extends readonly unknown[]>(see: See<Seen, Rest>): See<Seen, Rest> {
  const known = new WeakMap<HttpResponse, Map<string, Seen>>();
  return (answer, url, ...rest) => {
    const ofAnswer = known.get(answer) ?? new Map<string, Seen>();
    known.set(answer, ofAnswer);
    const earlier = ofAnswer.get(url);
    if (earlier !== undefined) return earlier;
    const seen = see(answer, url, ...rest);
    ofAnswer.set(url, seen);
    return seen;
  };
}
