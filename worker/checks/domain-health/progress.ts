import type { CategoryName } from '#shared/catalogue/domain-health/weights';
import type { PartProgress, Progress } from '#shared/ports/job-queue';

type State = PartProgress['state'];
type TellProgress = (progress: Progress) => void;

/** How far a domain-health is: its five parts, by what the visit and the page load tell. */
export type HealthProgress = {
  /** The teller of the visit, which tells the state of each check of it. */
  readonly visit: TellProgress;
  /** The teller of the page load. */
  readonly page: TellProgress;
  /** Everything that the visit was to look at is there, or never will be. */
  visited(state: 'done' | 'failed'): void;
  paged(state: 'done' | 'failed'): void;
  /** The teller of the mail hosts. */
  readonly hosts: TellProgress;
  talked(): void;
};

/** Of the whole, by how long each usually takes. */
const shares = { visit: 60, hosts: 0, page: 40 } as const;
const sharesWithHosts = { visit: 40, hosts: 20, page: 40 } as const;

/** The check of a visit that gives each category; the page load gives the other. */
const checkOf: { readonly [N in Exclude<CategoryName, 'performance'>]: string } = {
  dns: 'dns-check',
  ssl: 'ssl-check',
  headers: 'security-header-check',
  mail: 'dns-check',
};

/** Opens the progress of a run over these parts. What is reported never falls. */
export function openHealthProgress(
  tell: TellProgress,
  asked: readonly CategoryName[],
  asksHosts: boolean,
): HealthProgress {
  const share = asksHosts ? sharesWithHosts : shares;
  const percents = { visit: 0, hosts: 0, page: asked.includes('performance') ? 0 : share.page };
  const states = openStates(asked, asksHosts);
  const say = (current: string) =>
    tell({ done: sumOf(percents), total: sumOf(share), current, parts: states.list() });
  const count = (of: keyof typeof percents, { done, total }: Progress) => {
    const percent = Math.floor((share[of] * Math.min(done, total)) / Math.max(1, total));
    percents[of] = Math.max(percents[of], percent);
  };
  say('');
  return {
    visit(progress) {
      count('visit', progress);
      states.follow(progress);
      say(progress.current);
    },
    page(progress) {
      count('page', progress);
      states.set('performance', 'running');
      say(progress.current);
    },
    visited(state) {
      percents.visit = share.visit;
      states.visited(state);
      say('');
    },
    hosts(progress) {
      count('hosts', progress);
      say(progress.current);
    },
    talked() {
      percents.hosts = share.hosts;
      states.talked();
      say('');
    },
    paged(state) {
      percents.page = share.page;
      states.set('performance', state);
      say('');
    },
  };
}

function sumOf({ visit, hosts, page }: { readonly [N in keyof typeof shares]: number }): number {
  return visit + hosts + page;
}

/** The states of the parts. Mail has two sources where its hosts are asked: it is running until both have ended. */
function openStates(asked: readonly CategoryName[], asksHosts: boolean) {
  const states = new Map<CategoryName, State>(asked.map((name) => [name, 'waiting']));
  const ofVisit = asked.flatMap((name) => (name === 'performance' ? [] : [[name, checkOf[name]] as const]));
  let isTalking = asksHosts;
  const shown = (name: CategoryName, state: State): State =>
    name === 'mail' && isTalking && state !== 'waiting' ? 'running' : state;
  return {
    follow({ parts }: Progress) {
      for (const [name, check] of ofVisit) {
        const state = parts?.find((part) => part.name === check)?.state;
        if (state) states.set(name, state);
      }
    },
    visited(state: State) {
      for (const [name] of ofVisit) if (states.get(name) !== 'failed') states.set(name, state);
    },
    set(name: CategoryName, state: State) {
      if (states.has(name)) states.set(name, state);
    },
    list: () => [...states].map(([name, state]) => ({ name, state: shown(name, state) })),
    talked() {
      isTalking = false;
    },
  };
}
