/** The day of the list in `registries.json`. Source: https://data.iana.org/rdap/dns.json. Written by `npm run refresh rdap-registries`. */
export const registriesListedOn = '2026-02-13';
