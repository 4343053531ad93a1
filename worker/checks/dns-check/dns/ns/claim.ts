/** Something seen to be so, not so (and why), or not seen. */
export type Claim = { readonly is: boolean; readonly why: string } | null;

/** It is so. */
export const yes: Claim = { is: true, why: '' };

/** It is not so. @param why a clause that follows the server's name, or "" */
export const no = (why: string): Claim => ({ is: false, why });
