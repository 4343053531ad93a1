import type { Token, TokenStore } from '../../ports/token-store.ts';

/** Makes what gives the tokens of an account. All are read again when one may have changed, once for everybody who asks. */
export function openTokensOf(
  tokenStore: Pick<TokenStore, 'list' | 'version'>,
): (account: string) => Promise<readonly Token[]> {
  let known: { readonly version: number; readonly byAccount: Promise<Map<string, Token[]>> } | undefined;
  const read = async () => Map.groupBy(await tokenStore.list(), ({ account }) => account);
  return async (account) => {
    const version = tokenStore.version();
    if (known?.version !== version) known = { version, byAccount: read() };
    const { byAccount } = known;
    try {
      return (await byAccount).get(account) ?? [];
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}
