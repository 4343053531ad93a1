/** A server that a setting names, without the password, and in a few words what is wrong with it; undefined where nothing is. */
export type BackendAnswer = { readonly server: string; readonly cause: string | undefined };

/** Most servers answer all that they are asked within a tenth of this, those 50 ms away within two thirds; more would make a start late to tell. */
export const silentAfterMs = 700;
