import type { Severity } from '../../../model/verdict.ts';
import type { CategoryName } from '../categories.ts';
import type { AuditRule, AuditText } from './from-audits.ts';

const chrome = (path: string, title: string) => ({ title, url: `https://developer.chrome.com/docs/${path}` });

const rule =
  (category: CategoryName, folder: string) =>
  <Level extends Severity>(audit: string, severity: Level, text: AuditText): AuditRule<Level> => ({
    audit,
    categories: [category],
    severity,
    ...text,
    references: [chrome(`lighthouse/${folder}/${audit}`, `Lighthouse: ${audit}`)],
  });

const practice = rule('best-practices', 'best-practices');
const seo = rule('seo', 'seo');
const agent = <Level extends Severity>(
  audit: string,
  severity: Level,
  text: AuditText,
): AuditRule<Level> => ({
  ...rule('agentic-browsing', 'agentic-browsing')(audit, severity, text),
  references: [chrome('lighthouse/agentic-browsing', 'Lighthouse: agentic browsing')],
});

/** What the categories best-practices, seo and agentic-browsing judge and no other rule of ours does. */
export const practiceAudits = {
  'location-asked-on-load': practice('geolocation-on-start', 'low', {
    title: 'The page asks for the visitor’s location as it loads',
    meaning: 'Visitors refuse what they cannot explain, and the browser remembers it.',
    fix: 'Ask after the visitor has done something that needs it.',
  }),
  'notification-asked-on-load': practice('notification-on-start', 'low', {
    title: 'The page asks for permission to notify as it loads',
    meaning: 'Visitors refuse what they cannot explain, and the browser remembers it.',
    fix: 'Ask after the visitor has chosen to be notified.',
  }),
  'paste-prevented': practice('paste-preventing-inputs', 'medium', {
    title: 'Form fields refuse pasted text',
    meaning: 'Password managers cannot fill them in, so people choose weaker passwords.',
    fix: 'Remove the handlers that prevent pasting.',
  }),
  'images-distorted': practice('image-aspect-ratio', 'low', {
    title: 'Images are shown distorted',
    meaning: 'Their width and height do not fit those of the file.',
    fix: 'Use the ratio of the file, or object-fit: cover.',
  }),
  'images-too-coarse': practice('image-size-responsive', 'low', {
    title: 'Images have too few pixels for their size on the page',
    meaning: 'They look blurred on this device.',
    fix: 'Serve larger files with srcset.',
  }),
  'doctype-missing': practice('doctype', 'medium', {
    title: 'The page has no doctype',
    meaning: 'Browsers lay it out as pages of the last century were.',
    fix: 'Begin the document with <!doctype html>.',
  }),
  'deprecated-features-used': practice('deprecations', 'medium', {
    title: 'The page uses features that browsers are going to remove',
    meaning: 'That part of the page will stop working.',
    fix: 'Replace each feature as the browser’s console says.',
  }),
  'third-party-cookies-used': practice('third-party-cookies', 'medium', {
    title: 'The page uses third-party cookies',
    meaning: 'Several browsers block them, and in many countries visitors must agree first.',
    fix: 'Remove what sets them, or use cookies with Partitioned, or of the site itself.',
  }),
  'console-errors-logged': practice('errors-in-console', 'low', {
    title: 'Errors were logged while the page loaded',
    meaning: 'Something on the page failed: a script, or a request.',
    fix: 'Open the browser’s console on this page and fix each error.',
  }),
  'browser-issues-logged': practice('inspector-issues', 'low', {
    title: 'The browser reports issues with the page',
    meaning: 'It blocked or changed something: cookies, mixed content, frames or policies.',
    fix: 'Open the tab Issues of the developer tools on this page.',
  }),
  'page-not-indexable': seo('is-crawlable', 'high', {
    title: 'The page forbids search engines to index it',
    meaning: 'A robots directive in the page, its headers or robots.txt keeps it out of search results.',
    fix: 'Remove noindex from the robots meta tag and X-Robots-Tag, and the rule from robots.txt, if the page should be found.',
  }),
  'description-missing': seo('meta-description', 'low', {
    title: 'The page has no description',
    meaning: 'Search engines make up the text of the result themselves.',
    fix: 'Add <meta name="description" content="…"> with one or two sentences.',
  }),
  'link-texts-unclear': seo('link-text', 'low', {
    title: 'Link texts do not say where they lead',
    meaning: 'Words such as “here” and “more” tell search engines and screen readers nothing.',
    fix: 'Name the page behind the link in its text.',
  }),
  'links-not-crawlable': seo('crawlable-anchors', 'medium', {
    title: 'Search engines cannot follow links',
    meaning: 'They need an <a> with an address in href; scripts on other elements are not followed.',
    fix: 'Give each link a real address in href.',
  }),
  'hreflang-invalid': seo('hreflang', 'low', {
    title: 'Links to other languages are not valid',
    meaning: 'Search engines ignore them and may show the page in the wrong language.',
    fix: 'Use a language tag such as “de” or “en-GB”, or “x-default”, and a full address.',
  }),
  'canonical-invalid': seo('canonical', 'medium', {
    title: 'The canonical link is not valid',
    meaning: 'Search engines choose by themselves which of several addresses they show.',
    fix: 'Give one <link rel="canonical"> with a full address of this site.',
  }),
  'agent-tree-malformed': agent('agent-accessibility-tree', 'medium', {
    title: 'Agents cannot read the page’s controls',
    meaning:
      'Elements without a name or with a wrong role cannot be told apart by programs that use the page.',
    fix: 'Give controls names and valid roles; the accessibility category says which.',
  }),
  'webmcp-form-uncovered': agent('webmcp-form-coverage', 'info', {
    title: 'Forms are not offered to agents',
    meaning: 'Agents have to guess what the fields mean.',
    fix: 'Describe each form with WebMCP if agents should use it.',
  }),
  'webmcp-schema-invalid': agent('webmcp-schema-validity', 'medium', {
    title: 'Tools that the page offers to agents have invalid schemas',
    meaning: 'Agents cannot call them.',
    fix: 'Make each input schema valid JSON Schema.',
  }),
  'llms-txt-invalid': agent('llms-txt', 'low', {
    title: 'llms.txt does not follow its recommendations',
    meaning: 'Programs that read it may not understand it.',
    fix: 'Begin with a heading, and list links with a description each.',
  }),
  'agent-catalog-invalid': agent('ard-schema', 'low', {
    title: 'The catalog for agents is not valid',
    meaning: 'Agents ignore the file ai-catalog.json.',
    fix: 'Make the file follow its schema.',
  }),
} as const satisfies Record<string, AuditRule>;
