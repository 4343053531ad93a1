import { Problem } from '#shared/model/problem';

/** What every caller is told of stored reports where they have no ids. */
export function noIds(): Problem {
  return new Problem(
    'report_ids_disabled',
    'Reports have no ids here. Ask the tool itself: it answers from what is fresh, or checks again.',
  );
}
