import { parseName } from './name.ts';
import { type Observation, type ObservedQuestion, unknownObservation } from './observation.ts';

/** The DNS as far as it was seen. What was never asked is unknown. */
export type Zone = {
  look(name: string, type: string, server?: string): Observation;
  /** What the resolver gives without validation. */
  lookUnchecked(name: string, type: string): Observation;
  /** What the resolver gives when it is asked once more. */
  lookAgain(name: string, type: string): Observation;
};

/** One text for equal questions. A space never stands first, so no name of the target becomes a key of an object's prototype. */
export function observationKey({ name, type, server, unchecked, again }: ObservedQuestion): string {
  const way = `${unchecked ? ' +cd' : ''}${again ? ' +again' : ''}`;
  return `${type} ${name}${server === undefined ? '' : ` @${server}`}${way}`;
}

/**
 * Opens what was seen.
 * @param missing is told each question that is looked for and was never asked; this is how a gather learns what judgement will want
 * @param isLate whether the question of a key is still waited for, and has been for long: it is read as one that failed, until it is answered
 */
export function openZone(
  observations: ReadonlyMap<string, Observation>,
  missing: (question: ObservedQuestion) => void = () => {},
  isLate: (key: string) => boolean = () => false,
): Zone {
  const find = (question: ObservedQuestion): Observation => {
    const key = observationKey(question);
    const seen = observations.get(key);
    if (seen) return seen;
    if (!isAskable(question.name)) return impossible(question);
    if (isLate(key)) return { ...unknownObservation(question, 'no answer yet'), hasFailed: true };
    missing(question);
    return unknownObservation(question, 'it was not asked');
  };
  return {
    look: (name, type, server) =>
      find({ name: name.toLowerCase(), type, ...(server === undefined ? {} : { server }) }),
    lookUnchecked: (name, type) => find({ name: name.toLowerCase(), type, unchecked: true }),
    lookAgain: (name, type) => find({ name: name.toLowerCase(), type, again: true }),
  };
}

/** True for a name that a question can carry (RFC 1035 §2.3.4): labels of 1 to 63 octets, 253 together, escaped ones counted as what they stand for; "" is the root. */
export function isAskable(name: string): boolean {
  return !('malformed' in parseName(name));
}

// Such a name exists nowhere; saying so without a question is no guess.
function impossible(question: ObservedQuestion): Observation {
  return { ...question, outcome: 'nxdomain', records: [], secure: false, why: '' };
}
