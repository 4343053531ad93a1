/** Turns of accounts: what is judged by what an account has, and then adds to it, is done by one after the other over all processes. */
export interface AccountTurns {
  /**
   * Does something in the turn of an account. It ends within 20 s. Rejects with Problem `overloaded` where the turn does not come within ten
   * seconds, and `store_unavailable` where nobody can tell whose it is.
   */
  take<T>(account: string, act: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
