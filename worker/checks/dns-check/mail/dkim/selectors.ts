/** Selectors that many use, with any provider. Names by convention, not from any standard. Those of a service stand in its row of the table. */
export const commonSelectors =
  'default dkim mail google selector1 selector2 k1 k2 s1 s2 key1 mx smtp dkim1'.split(' ');
