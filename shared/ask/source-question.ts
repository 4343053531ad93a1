import type { SourceQuestion } from '../catalogue/domain-health/sources.ts';
import { siteOf } from '../targets/parse-target.ts';
import type { Question, Questions } from './question.ts';

/** What a domain-health asks one of its sources, as a question. @param owner whose reports alone may answer */
export function questionOfSource(
  questions: Questions,
  { spec, target, options, isShared }: SourceQuestion,
  owner: Question['owner'],
): Question {
  const host = siteOf(spec.targetKind === 'url' ? new URL(target).hostname : target);
  return questions.of(spec, { target, host, options }, isShared === true ? undefined : owner);
}
