/** How each part is that this process needs: true, or what is wrong in a few words. */
export type Checks = Readonly<Record<string, true | string>>;

/** Whether new work should come to this process, and what of it is hampered. */
export type Readiness = {
  readonly isReady: boolean;
  readonly checks: Checks;
  /** What the process works with, by part: the browser's version and age. */
  readonly about: Readonly<Record<string, object>>;
};

export type ReadReadiness = () => Promise<Readiness>;

/** What decides about readiness in a part of the process. */
export type Able = {
  /** Checks of its own. */
  readonly readiness?: () => Checks;
  /** What it works with, by part. */
  readonly about?: () => Readiness['about'];
  /** True while it can do some of its work, given the checks of the whole process. */
  readonly canWork: (checks: Checks) => boolean;
};
