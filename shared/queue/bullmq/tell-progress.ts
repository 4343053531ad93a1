import type { Progress } from '../../ports/job-queue.ts';

/** A run that ends sooner tells nothing. */
const firstAfterMs = 500;
/** Who waits for a job asks once a second. */
const everyMs = 1000;

/** What a run says of its progress on the way to those who ask for its job: the latest word, now and then. */
export type ProgressTeller = { readonly tell: (progress: Progress) => void; readonly end: () => void };

/** Opens it for one run. @param pass passes a word on */
export function openProgressTeller(pass: (progress: Progress) => Promise<unknown>): ProgressTeller {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueMs = firstAfterMs;
  const send = () => {
    timer = undefined;
    dueMs = everyMs;
    if (latest) pass(latest).catch(() => undefined); // progress is a courtesy: the run goes on without it
  };
  return {
    tell(progress) {
      latest = progress;
      timer ??= setTimeout(send, dueMs);
    },
    end: () => clearTimeout(timer),
  };
}
