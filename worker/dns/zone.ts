import { parseName } from './name.ts';
import { type Sight, type SightQuestion, unknownSight } from './sight.ts';

/** The DNS as far as it was seen. What was never asked is unknown. */
export type Zone = { look(name: string, type: string, server?: string): Sight };

/** One text for equal questions. A space never stands first, so no name of the target becomes a key of an object's prototype. */
export function sightKey({ name, type, server }: SightQuestion): string {
  return `${type} ${name}${server === undefined ? '' : ` @${server}`}`;
}

/**
 * Opens what was seen.
 * @param missing is told each question that is looked for and was never asked; this is how a gather learns what judgement will want
 */
export function openZone(
  sights: ReadonlyMap<string, Sight>,
  missing: (question: SightQuestion) => void = () => {},
): Zone {
  return {
    look(name, type, server) {
      const question = { name: name.toLowerCase(), type, ...(server === undefined ? {} : { server }) };
      const seen = sights.get(sightKey(question));
      if (seen) return seen;
      if (!isAskable(question.name)) return impossible(question);
      missing(question);
      return unknownSight(question, 'it was not asked');
    },
  };
}

/** True for a name that a question can carry (RFC 1035 §2.3.4): labels of 1 to 63 octets, 253 together, escaped ones counted as what they stand for; "" is the root. */
export function isAskable(name: string): boolean {
  return !('malformed' in parseName(name));
}

// Such a name exists nowhere; saying so without a question is no guess.
function impossible(question: SightQuestion): Sight {
  return { ...question, outcome: 'nxdomain', records: [], secure: false, why: '' };
}
