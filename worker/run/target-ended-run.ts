/** The data of this run's target ended, or froze, the process that read it. `message` is a sentence for the caller. */
export class TargetEndedRun extends Error {
  override readonly name = 'TargetEndedRun';
  /** What became of the process, in a few words for the log. */
  readonly how: string;

  constructor(how: string, message: string) {
    super(message);
    this.how = how;
  }
}
