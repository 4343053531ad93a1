import { siteOf } from '#shared/targets/parse-target';

/** Longer pages have something to say. */
const pageLimit = 65_536;
/** Characters that a waiting page shows: a sentence or two, and an id. */
const textLimit = 400;
/** Characters of scripts in the page: a small site may come with all its scripts in one file. */
const scriptLimit = 20_000;
/** Characters of a page that only says to wait. */
const waitLimit = 160;

/** What a page shows, its inline scripts and its markup, told apart. */
type Parts = { readonly text: string; readonly scripts: string; readonly markup: string };

/** What only a page says that keeps its visitor for a while, to see who it is. */
const checking =
  /\b(?:checking|verifying|validating|analy[sz]ing) (?:if )?(?:your|the|that you|whether you|this) |\b(?:verify|check|confirm)(?:ing)? (?:that )?you(?: are|'re|’re) (?:a )?(?:human|not a (?:ro)?bot)|\b(?:enable|allow|accept) (?:javascript and )?cookies (?:to continue|and reload)|\bplease wait (?:while|until) (?:we|your|the (?:site|page|request|browser))\b|\bwhile (?:we|your) (?:browser|request|connection)|\b(?:security|browser|bot|human) (?:check|verification|challenge)\b|\bddos (?:protection|attacks?)\b|正在(?:验证|检查|检测)|安全(?:检查|检测|验证)|проверка (?:браузера|соединения)|vérification de (?:votre|la)|(?:ihr|dein) browser wird (?:überprüft|geprüft)/i;
/** What such a page says, and many another that loads. */
const waiting =
  /\bplease wait\b|\b(?:one|just a) moment\b|\bhold on\b|\bbitte warten\b|\bun moment\b|\bveuillez patienter\b|\b(?:espere|aguarde|attendere)\b|请稍候|請稍候|お待ちください|подождите/i;

const setsCookie = /\bcookie["'\]\s]{0,4}=(?!=)|\bcookieStore\s{0,4}\.\s{0,4}set\s{0,4}\(/;
const asksAgain =
  /\blocation["'\]\s]{0,4}(?:(?:\.\s{0,4}|\[["'])(?:href|search|pathname)["'\]\s]{0,4})?=(?!=)|\blocation["'\]\s]{0,4}(?:\.\s{0,4}|\[["'])(?:reload|replace|assign)["'\]\s]{0,4}\(|\bhistory\s{0,4}\.\s{0,4}go\s{0,4}\(\s{0,4}0?\s{0,4}\)|\bsubmit["'\]\s]{0,4}\(/;
/** The address that the page has itself: a landing page sends its visitor to another, and may keep a language in a cookie. */
const asksTheSame =
  /\blocation["'\]\s]{0,4}(?:\.\s{0,4}|\[["'])reload|\bhistory\s{0,4}\.\s{0,4}go\s{0,4}\(|=\s{0,4}(?:(?:window|document|self|top)\s{0,4}\.\s{0,4})?location\b|=\s{0,4}document\s{0,4}\.\s{0,4}URL|["'`](?:https?:\/\/[^"'`/\s]{1,260})?\/?\?[^"'`]{0,500}["'`]/;
const sendsProof = /\bfetch\s{0,4}\(|\bXMLHttpRequest\b|\bsendBeacon\b/;
const reloads = /http-equiv\s{0,4}=\s{0,4}["']?refresh/i;
/** What an app brings along that has nothing to show yet. */
const ofAnApp =
  /<link\b[^<>]{0,300}\brel\s{0,4}=\s{0,4}["']?(?:stylesheet|modulepreload|preload|manifest|canonical)\b|<script\b[^<>]{0,300}\btype\s{0,4}=\s{0,4}["']?module\b|\bid\s{0,4}=\s{0,4}["']?(?:root|app|__next|__nuxt|app-root)\b/i;

/**
 * True for a page that stands before the site for a moment, whoever made it: it shows next to nothing, and either says that it looks at its
 * visitor, or sets a cookie and asks for the address again, or says to wait and has nothing but one script of another site. An app that is
 * still empty does not: it brings its scripts, and stays.
 * @param url of the page; left out where it is not known, and then no script is another site's
 */
export function isWaitingPage(html: string, url?: string): boolean {
  if (html.length > pageLimit) return false;
  const parts = takeApart(html);
  return parts.text.length <= textLimit && parts.scripts.length <= scriptLimit && keepsWaiting(parts, url);
}

function keepsWaiting(parts: Parts, url: string | undefined): boolean {
  const { text, markup } = parts;
  const code = unescape(parts.scripts);
  const isApp = ofAnApp.test(markup);
  const isAskedAgain = asksAgain.test(code);
  // What looks at the visitor is a script, in the page or beside it, or a second question.
  if (checking.test(text)) return isAskedAgain || reloads.test(markup) || (!isApp && hasScript.test(markup));
  const isSameAgain = !isApp && isAskedAgain && asksTheSame.test(code);
  if (!waiting.test(text)) return isSameAgain && setsCookie.test(code);
  return isSameAgain || provesItself(code, isAskedAgain, markup) || (!isApp && leavesItToOthers(parts, url));
}

const scriptAddress = /<script\b[^<>]{0,500}?\bsrc\s{0,4}=\s{0,4}["']?([^"'\s<>]{1,2000})/gi;
/** Where anybody's files are delivered from. */
const publicHost =
  /(?:^|\.)(?:jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com|esm\.sh|skypack\.dev|cloudfront\.net|amazonaws\.com|azureedge\.net|b-cdn\.net|fastly\.net|akamaized\.net|googleapis\.com|bootcdn\.net|staticfile\.org|netlify\.app|vercel\.app|web\.app|pages\.dev|github\.io)$/i;
/** A site's own such host, and what tools call the file of an app. */
const deliveryHost = /(?:^|[.-])(?:cdn|static|assets?|storage|media)\d*[.-]/i;
const appFile =
  /\/(?:app|main|index|bundle|client|runtime|vendors?|chunk)\b[\w.~-]{0,60}\.m?js$|[.-](?:bundle|chunk)\.m?js$/i;

/** Whether the page has one script, which is of another site: who looks at the visitor for a site. The one of an app comes from where sites have their files. */
function leavesItToOthers({ text, markup }: Parts, url: string | undefined): boolean {
  const [found, ...others] = Array.from(markup.matchAll(scriptAddress), ([, address = '']) => address);
  const script = found === undefined || url === undefined ? null : URL.parse(found, url);
  if (!script || !url || others.length > 0 || text.length > waitLimit) return false;
  const isDelivered =
    publicHost.test(script.hostname) || (deliveryHost.test(script.hostname) && appFile.test(script.pathname));
  return siteOf(script.hostname) !== siteOf(new URL(url).hostname) && !isDelivered;
}

/** Whether the visitor shows something and is asked for again: a cookie, or an answer that a script has worked out. */
function provesItself(code: string, isAskedAgain: boolean, markup: string): boolean {
  if (setsCookie.test(code)) return isAskedAgain || reloads.test(markup);
  return isAskedAgain && sendsProof.test(code);
}

/** What a page shows as text: no scripts, styles and pictures. */
export function readableText(html: string): string {
  return takeApart(html).text;
}

const hasScript = /<script\b/i;

/** Where a part begins that is shown to nobody who runs scripts. */
const hidden = /<(script|style|noscript|svg)\b|<!--/gi;

function takeApart(html: string): Parts {
  const lower = html.toLowerCase();
  const scripts: string[] = [];
  const rest: string[] = [];
  let at = 0;
  hidden.lastIndex = 0;
  for (let found = hidden.exec(html); found; found = hidden.exec(html)) {
    const name = found[1]?.toLowerCase();
    rest.push(html.slice(at, found.index));
    const begin = lower.indexOf(name === undefined ? '<!--' : '>', found.index);
    const end = lower.indexOf(name === undefined ? '-->' : `</${name}`, found.index);
    at = end < 0 ? html.length : end;
    if (name === 'script') {
      rest.push(html.slice(found.index, begin + 1));
      scripts.push(html.slice(begin + 1, at));
    }
    hidden.lastIndex = at;
  }
  const markup = [...rest, html.slice(at)].join(' ');
  const text = markup
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ')
    .trim();
  return { text, scripts: scripts.join('\n'), markup };
}

/** Names are hidden by escapes: "\\x63ookie". */
function unescape(code: string): string {
  return code.replace(/\\x([0-9a-f]{2})|\\u00([0-9a-f]{2})/gi, (_, short: string, long: string) =>
    String.fromCharCode(Number.parseInt(short ?? long, 16)),
  );
}
