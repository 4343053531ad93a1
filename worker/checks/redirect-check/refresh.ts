/** Where a Refresh field or meta element leads, and after how many seconds. `target` is "" for the page itself. */
export type Refresh = { readonly seconds: number; readonly target: string };

/**
 * Reads a refresh value as browsers do (HTML Standard, shared declarative refresh steps).
 * @param text e.g. "5; url=https://a.test/" or "0;https://a.test/"
 * @returns undefined where browsers ignore it
 */
export function parseRefresh(text: string): Refresh | undefined {
  const time = /^[\t\n\f\r ]*(\d*)[\d.]*/.exec(text);
  if (!time || (time[1] === '' && !/^[\t\n\f\r ]*\./.test(text))) return undefined;
  const rest = text.slice(time[0].length);
  const seconds = Math.min(Number(time[1]), 1_000_000);
  if (rest.trim() === '') return { seconds, target: '' };
  if (!/^[;,\t\n\f\r ]/.test(rest)) return undefined;
  return { seconds, target: readTarget(rest.replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, '')) };
}

function readTarget(text: string): string {
  const prefixed = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(text);
  const value = prefixed ? text.slice(prefixed[0].length) : text;
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return value.trim();
  const end = value.indexOf(quote, 1);
  return (end === -1 ? value.slice(1) : value.slice(1, end)).trim();
}
