import type { CategoryName } from '#shared/catalogue/domain-health/weights';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import type { PartProgress, Progress } from '#shared/ports/job-queue';

type State = PartProgress['state'];
type Tell = (progress: Progress) => void;

/** How far a domain-health is: its five parts, by what the visit and the page load tell. */
export type HealthProgress = {
  /** The teller of the visit, which tells the state of each check of it. */
  readonly visit: Tell;
  /** The teller of the page load. */
  readonly page: Tell;
  /** Everything that the visit was to look at is there, or never will be. */
  visited(state: 'done' | 'failed'): void;
  paged(state: 'done' | 'failed'): void;
};

/** Of the whole, by how long each usually takes. */
const shares = { visit: 60, page: 40 } as const;

/** The check of a visit that gives each category; the page load gives the other. */
const checkOf: { readonly [N in Exclude<CategoryName, 'performance'>]: string } = {
  dns: 'dns-check',
  ssl: 'ssl-check',
  headers: 'security-header-check',
  mail: 'dns-check',
};

/** Opens the progress of a run over these parts. What is told never falls. */
export function openHealthProgress(
  tell: Tell,
  asked: readonly CategoryName[] = categoryNames,
): HealthProgress {
  const percents = { visit: 0, page: asked.includes('performance') ? 0 : shares.page };
  const states = new Map<CategoryName, State>(asked.map((name) => [name, 'waiting']));
  const say = (current: string) =>
    tell({
      done: percents.visit + percents.page,
      total: shares.visit + shares.page,
      current,
      parts: [...states].map(([name, state]) => ({ name, state })),
    });
  const count = (of: keyof typeof percents, { done, total }: Progress) => {
    const percent = Math.floor((shares[of] * Math.min(done, total)) / Math.max(1, total));
    percents[of] = Math.max(percents[of], percent);
  };
  const ofVisit = asked.flatMap((name) => (name === 'performance' ? [] : [[name, checkOf[name]] as const]));
  say('');
  return {
    visit(progress) {
      count('visit', progress);
      for (const [name, check] of ofVisit) {
        const state = progress.parts?.find((part) => part.name === check)?.state;
        if (state) states.set(name, state);
      }
      say(progress.current);
    },
    page(progress) {
      count('page', progress);
      states.set('performance', 'running');
      say(progress.current);
    },
    visited(state) {
      percents.visit = shares.visit;
      for (const [name] of ofVisit) if (states.get(name) !== 'failed') states.set(name, state);
      say('');
    },
    paged(state) {
      percents.page = shares.page;
      if (states.has('performance')) states.set('performance', state);
      say('');
    },
  };
}
