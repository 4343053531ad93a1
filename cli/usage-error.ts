/** The command line, or a file it names, is not what it should be: exit status 2, the message on stderr. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
