/**
 * True where the host of a parsed URL is an address. The URL parser has brought it to one form: IPv6 in brackets, IPv4 as four
 * decimal numbers, so no parsing is needed; that matters, as this is asked for every hop and cookie.
 */
export function isAddressHost(hostname: string): boolean {
  return hostname.startsWith('[') || isDottedQuad(hostname);
}

/** True for four numbers of up to three digits between dots. */
export function isDottedQuad(text: string): boolean {
  return /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(text);
}
