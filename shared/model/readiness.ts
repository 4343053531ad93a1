/** The state of each part that this process needs: true, or what is wrong in a few words. */
export type Checks = Readonly<Record<string, true | string>>;

/** Whether this process should get new work, and which parts of it do not work fully. */
export type Readiness = {
  readonly isReady: boolean;
  readonly checks: Checks;
  /** What the process works with, by part, e.g. the browser's version and age. */
  readonly about: Readonly<Record<string, object>>;
};

export type ReadReadiness = () => Promise<Readiness>;

/** How a part of the process takes part in its readiness. */
export type Able = {
  /** Checks that only this part has. */
  readonly readiness?: () => Checks;
  /** What it works with, by part. */
  readonly about?: () => Readiness['about'];
  /** True if it can do some of its work, given the checks of the whole process. */
  readonly canWork: (checks: Checks) => boolean;
};
