import { whysOf } from '../../model/why.ts';
import { commonWhys } from '../common-whys.ts';
import { rules } from './rules.ts';

/** Why each finding about a page in the browser matters. */
export const pagespeedWhys = whysOf(rules, {
  'Visitors wait for the part that they came for, and some leave before they see it. Search engines also count this time.':
    ['lcp-poor', 'lcp-needs-improvement'],
  'Text and buttons can jump while people read or tap. Visitors lose their place or hit the wrong button.': [
    'cls-poor',
    'cls-needs-improvement',
    'images-without-dimensions',
  ],
  'Taps and typing can get no answer while the page is busy. It hits visitors with slower phones most, and some of them give up.':
    [
      'tbt-poor',
      'tbt-needs-improvement',
      'javascript-execution-slow',
      'main-thread-busy',
      'third-parties-heavy',
      'reflow-forced',
      'dom-too-large',
    ],
  'Visitors look at an empty or half-filled screen, and some leave. It hits people with slow phones or connections most.':
    ['fcp-poor', 'fcp-needs-improvement', 'si-poor', 'si-needs-improvement'],
  'Real visitors meet a page that is slow, answers late or jumps about, and some of them leave. Google also uses these values in its ranking.':
    ['field-vitals-failed'],
  'Nothing can be shown before this is done, so every visitor waits longer for the page. People on slow or mobile connections feel it most.':
    ['render-blocking-requests', 'document-latency-high', 'server-response-slow', 'page-redirects'],
  'Parts of the page arrive later than they could. Visitors wait longer for what they came for, most of all on slow or mobile connections.':
    ['lcp-request-late', 'request-chain-long'],
  'Visitors download more than they need, which takes time and uses up their data volume. People on slow or mobile connections feel it most.':
    [
      'images-wasteful',
      'javascript-duplicated',
      'javascript-legacy',
      'javascript-not-minified',
      'javascript-unused',
      'css-not-minified',
      'css-unused',
      'page-too-heavy',
      'page-transfer-excessive',
    ],
  'Visitors who come back load the same files again and wait longer than they have to. Your server has more work.':
    ['cache-lifetime-short'],
  'The words of the page stay invisible until a file has arrived. Visitors on slow connections look at a page that they cannot read yet.':
    ['fonts-hide-text'],
  'Phones show the page as a tiny copy of its desktop version. Visitors there have to zoom and scroll to read, and some leave.':
    ['viewport-not-mobile'],
  'Movements on the page stutter and use more power. Visitors with slower phones notice it most.': [
    'animations-not-composited',
  ],
  [commonWhys.notLookedAt]: ['target-not-allowed'],
  [commonWhys.addressNotPublic]: ['target-address-not-allowed'],
  [commonWhys.noPage]: ['redirect-to-nowhere'],
  [commonWhys.unreachable]: ['target-unreachable', 'page-not-loaded', 'page-interstitial'],
  [commonWhys.certificateRefused]: ['certificate-not-trusted'],
  [commonWhys.errorStatus]: ['target-error-status'],
  [commonWhys.blocksChecks]: ['target-blocks-checks'],
  [commonWhys.defaultPage]: ['target-is-default-page'],
  [commonWhys.noDocument]: ['page-not-html'],
  'Visitors wait in front of an empty window, and most leave. Search engines may see an empty page too.': [
    'page-not-painted',
  ],
  'The tab freezes or closes, first on phones and old computers. Visitors there cannot use the page and lose what they entered.':
    ['page-hung', 'page-crashed', 'page-memory-excessive'],
  'The measured times can be better than what visitors meet. You may believe that the page is faster than it is.':
    ['page-not-quiet'],
  'Browsers wait for answers that do not come, and a part of the page may be missing. Visitors see a slower or incomplete page.':
    ['requests-unreachable'],
  'A limit that you set yourself is no longer kept, and pages that grow unnoticed get slower. Visitors feel it as waiting time.':
    ['budget-exceeded'],
  'The key works for one of the elements only. People who use the keyboard cannot reach the other one with it.':
    ['accesskeys-repeated'],
  'People who use a screen reader hear that there is a control, but not what it does. They may not be able to buy, send or go on.':
    [
      'buttons-without-name',
      'input-buttons-without-name',
      'input-images-without-alt',
      'links-without-name',
      'aria-command-without-name',
      'aria-toggle-without-name',
      'aria-tree-item-without-name',
    ],
  'People who use a screen reader do not hear what belongs in the field. They cannot fill in the form, for example to order or to write to you.':
    ['form-fields-without-label', 'selects-without-label', 'aria-input-without-name'],
  'People who use a screen reader hear that something is there, but not what it is. They have to guess, or skip it.':
    [
      'frames-without-title',
      'aria-dialog-without-name',
      'aria-meter-without-name',
      'aria-progress-without-name',
      'aria-tooltip-without-name',
    ],
  'People who cannot see it do not learn what it shows. If it carries information, such as a price or a plan, they miss it.':
    ['images-without-alt', 'objects-without-alt', 'vector-images-without-alt'],
  'People with weak eyesight, and anyone in bright sunlight, have trouble reading it. They miss information or leave.':
    ['contrast-too-low'],
  'Screen readers announce wrongly, or not at all, what belongs together. People who listen to the page have trouble following it.':
    [
      'definition-list-invalid',
      'definition-outside-list',
      'lists-invalid',
      'list-items-outside-list',
      'table-headers-unknown',
    ],
  'People who use a screen reader move about a page by its headings and main areas. Here they need longer to find the content, or lose their way.':
    ['headings-out-of-order', 'main-landmark-missing'],
  'Tabs, bookmarks and search results show no useful name. Visitors have trouble finding the page again, and people who use a screen reader do not hear where they are.':
    ['document-title-missing'],
  'A screen reader may read the text with the pronunciation of another language. People who listen to the page then hardly understand it.':
    ['language-missing', 'language-invalid', 'language-differs-in-xml', 'language-of-part-invalid'],
  'People who cannot tell the colors apart do not see that there is a link. They miss the page behind it.': [
    'links-by-color-only',
  ],
  'The page starts again while people still read or type. People who read slowly or use a screen reader are hit most, as they lose their place.':
    ['page-refreshes-itself'],
  'On many phones, people with weak eyesight cannot make the text larger. They have to give up or ask somebody to read it to them.':
    ['zoom-forbidden'],
  'People who use the keyboard cannot jump over the menu. They have to go through all of its links to get to the content.':
    ['skip-link-broken'],
  'People who use the keyboard are moved about the page in an order that they do not expect. They lose their way or miss a part of a form.':
    ['tab-order-changed'],
  'On phones, a finger easily opens the wrong link or presses the wrong button. People with unsteady hands are hit most.':
    ['touch-targets-too-small'],
  'Browsers cannot fill in what they know, such as a name or address. Visitors have to type it all, which is hard for people with a disability.':
    ['autocomplete-invalid'],
  'A screen reader may announce the element wrongly or leave something out. People who depend on it cannot tell what it is or what state it is in.':
    [
      'aria-attribute-not-allowed',
      'aria-attribute-conditional',
      'aria-attribute-prohibited',
      'aria-attribute-missing',
      'aria-attribute-unknown',
      'aria-value-invalid',
      'aria-role-deprecated',
      'aria-role-unknown',
      'aria-children-missing',
      'aria-parent-missing',
      'presentation-role-conflicting',
    ],
  'A screen reader reads nothing of the page. For blind visitors it is empty.': ['aria-body-hidden'],
  'The keyboard can lead to something that a screen reader does not announce. People who depend on both do not know where they are.':
    ['aria-hidden-focusable', 'aria-text-focusable'],
  'Visitors do not know yet why they are asked, and most refuse. The browser remembers that, so you cannot ask again when it makes sense.':
    ['location-asked-on-load', 'notification-asked-on-load'],
  'People who use a password manager or copy a long code cannot enter it. They choose weaker passwords, make mistakes or give up.':
    ['paste-prevented'],
  'Pictures look stretched or blurred. Visitors see less of what you want to show, and the site looks careless to them.':
    ['images-distorted', 'images-too-coarse'],
  'Browsers treat the page like one from the 1990s, and its layout can come out wrong. Visitors may see parts shifted, cut off or on top of each other.':
    ['doctype-missing'],
  'With a coming version of a browser, that part of the page stops working. Visitors who update first meet the fault first.':
    ['deprecated-features-used'],
  'Several browsers block such cookies, so what depends on them fails for a part of your visitors. In many countries you must ask visitors before you set them.':
    ['third-party-cookies-used'],
  'A part of the page may not work, or not in every browser. Visitors meet a function that fails or a gap.': [
    'console-errors-logged',
    'browser-issues-logged',
  ],
  'The page does not appear in search results. People who look for what you offer there do not find it.': [
    'page-not-indexable',
  ],
  'Search engines choose the text below the link themselves, and it may say little. People who search may click on another result.':
    ['description-missing'],
  'Search engines and people who use a screen reader do not learn where the link leads. The page behind it is harder to find for them.':
    ['link-texts-unclear'],
  'Search engines may not discover the pages behind these links. People who search for their content then do not find you.':
    ['links-not-crawlable'],
  'Search engines may send people to a page in a language that they do not read. They leave, although you have the right one.':
    ['hreflang-invalid'],
  'Search engines can list another address of the page than the one you mean. People who search may land there, and links to the page count for less.':
    ['canonical-invalid'],
  'Programs that act for people, such as AI assistants, may not understand this part of the site. People who send one do not get what they asked for.':
    ['agent-tree-malformed', 'webmcp-schema-invalid', 'llms-txt-invalid', 'agent-catalog-invalid'],
});
