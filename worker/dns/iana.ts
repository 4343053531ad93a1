/** When the tables of numbers that IANA assigns were last compared with its registries, YYYY-MM-DD. */
const tablesFrom = '2025-12-31';

/** Of a number that stands in no table here, as a sentence's end: it may have been assigned since. */
export const notKnownHere = `is not known here (table of ${tablesFrom})`;
