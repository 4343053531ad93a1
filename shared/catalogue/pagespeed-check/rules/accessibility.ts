import type { Severity } from '../../../model/verdict.ts';
import type { AuditRule, AuditText } from './from-audits.ts';

/** A rule that axe decides, Lighthouse's engine for accessibility. Its id is the audit's. */
export function axe<Level extends Severity>(
  audit: string,
  severity: Level,
  text: AuditText,
): AuditRule<Level> {
  const references = [{ title: `axe: ${audit}`, url: `https://dequeuniversity.com/rules/axe/4.13/${audit}` }];
  return { audit, categories: ['accessibility'], severity, ...text, references };
}

/**
 * What axe finds in a page beside ARIA. Critical for axe is high here, serious is medium, the rest is low; what it reports without a verdict
 * only informs.
 */
export const accessibilityAudits = {
  'accesskeys-repeated': axe('accesskeys', 'medium', {
    title: 'Two elements have the same access key',
    meaning: 'The key reaches only one of them.',
    fix: 'Give each accesskey once, or remove the attribute.',
  }),
  'buttons-without-name': axe('button-name', 'high', {
    title: 'Buttons have no name',
    meaning: 'A screen reader says only “button”.',
    fix: 'Put text into the button, or give it an aria-label.',
  }),
  'blocks-not-bypassable': axe('bypass', 'info', {
    title: 'The page has no heading, landmark or skip link',
    meaning: 'Keyboard users must step through everything that is repeated on each page.',
    fix: 'Put the main content into <main>, give it a heading, or add a skip link.',
  }),
  'contrast-too-low': axe('color-contrast', 'medium', {
    title: 'Text does not stand out from its background',
    meaning: 'Many people cannot read it; usual text needs a contrast of 4.5 to 1.',
    fix: 'Make the text darker or the background lighter, or the other way round.',
  }),
  'definition-list-invalid': axe('definition-list', 'medium', {
    title: 'Definition lists contain other elements than terms and descriptions',
    meaning: 'Screen readers announce such a list wrongly.',
    fix: 'Put only groups of dt and dd, script, template or div directly into dl.',
  }),
  'definition-outside-list': axe('dlitem', 'medium', {
    title: 'Terms or descriptions stand outside a definition list',
    meaning: 'Screen readers do not connect them.',
    fix: 'Put dt and dd into a dl.',
  }),
  'document-title-missing': {
    ...axe('document-title', 'medium', {
      title: 'The page has no title',
      meaning: 'Tabs, bookmarks, search results and screen readers have no name for it.',
      fix: 'Put a <title> that describes the page into the head.',
    }),
    categories: ['accessibility', 'seo'],
  },
  'form-labels-repeated': axe('form-field-multiple-labels', 'info', {
    title: 'Form fields have several labels',
    meaning: 'Screen readers may read the first, the last or all of them.',
    fix: 'Give each field one label.',
  }),
  'frames-without-title': axe('frame-title', 'medium', {
    title: 'Frames have no title',
    meaning: 'A screen reader cannot say what is in the frame.',
    fix: 'Give each iframe a title that describes its content.',
  }),
  'headings-out-of-order': axe('heading-order', 'low', {
    title: 'Headings skip a level',
    meaning: 'Readers who move by headings look for the level that is missing.',
    fix: 'Use h2 below h1, h3 below h2, and style them with CSS.',
  }),
  'language-missing': axe('html-has-lang', 'medium', {
    title: 'The page does not say its language',
    meaning: 'Screen readers use the voice of their own language instead.',
    fix: 'Give the html element a lang, such as lang="en".',
  }),
  'language-invalid': axe('html-lang-valid', 'medium', {
    title: 'The language of the page is not a language tag',
    meaning: 'Screen readers use the voice of their own language instead.',
    fix: 'Use a tag of BCP 47 in lang, such as "en" or "pt-BR".',
  }),
  'language-differs-in-xml': axe('html-xml-lang-mismatch', 'low', {
    title: 'The page gives two languages',
    meaning: 'The attributes lang and xml:lang name different languages.',
    fix: 'Give both the same language, or remove xml:lang.',
  }),
  'language-of-part-invalid': axe('valid-lang', 'medium', {
    title: 'The language of a part is not a language tag',
    meaning: 'Screen readers read that part with the wrong voice.',
    fix: 'Use a tag of BCP 47 in lang, such as "en" or "pt-BR".',
  }),
  'images-without-alt': {
    ...axe('image-alt', 'high', {
      title: 'Images have no alternative text',
      meaning: 'Screen readers and search engines cannot tell what they show.',
      fix: 'Describe each image in its alt attribute; give decoration alt="".',
    }),
    categories: ['accessibility', 'seo'],
  },
  'images-alt-redundant': axe('image-redundant-alt', 'info', {
    title: 'Alternative texts repeat the text beside them',
    meaning: 'Screen readers read the same words twice.',
    fix: 'Give such an image alt="", or describe what the text does not say.',
  }),
  'input-buttons-without-name': axe('input-button-name', 'high', {
    title: 'Input buttons have no name',
    meaning: 'A screen reader says only “button”.',
    fix: 'Give the input a value or an aria-label.',
  }),
  'input-images-without-alt': axe('input-image-alt', 'high', {
    title: 'Image buttons have no alternative text',
    meaning: 'A screen reader cannot say what the button does.',
    fix: 'Say in alt what the button does.',
  }),
  'form-fields-without-label': axe('label', 'high', {
    title: 'Form fields have no label',
    meaning: 'A screen reader cannot say what to enter.',
    fix: 'Connect a label to each field with for and id, or put the field into the label.',
  }),
  'links-by-color-only': axe('link-in-text-block', 'medium', {
    title: 'Links in text differ by their color only',
    meaning: 'People who cannot tell these colors apart do not find the links.',
    fix: 'Underline links in text.',
  }),
  'links-without-name': axe('link-name', 'medium', {
    title: 'Links have no name',
    meaning: 'A screen reader says only “link”.',
    fix: 'Put text into the link; for an image, give it an alt.',
  }),
  'links-same-name-different-purpose': axe('identical-links-same-purpose', 'info', {
    title: 'Links with the same text lead to different pages',
    meaning: 'In a list of links they look the same.',
    fix: 'Let each link text say where it leads.',
  }),
  'lists-invalid': axe('list', 'medium', {
    title: 'Lists contain other elements than list items',
    meaning: 'Screen readers announce a wrong number of items.',
    fix: 'Put only li, script and template directly into ul and ol.',
  }),
  'list-items-outside-list': axe('listitem', 'medium', {
    title: 'List items stand outside a list',
    meaning: 'Screen readers do not announce them as items.',
    fix: 'Put each li into ul, ol or menu.',
  }),
  'page-refreshes-itself': axe('meta-refresh', 'high', {
    title: 'The page reloads itself',
    meaning: 'A reload moves the focus back to the top while people are still reading.',
    fix: 'Remove <meta http-equiv="refresh">, and load news with a script.',
  }),
  'zoom-forbidden': axe('meta-viewport', 'high', {
    title: 'The page forbids to zoom',
    meaning: 'People who need larger text cannot enlarge it.',
    fix: 'Remove user-scalable=no, and any maximum-scale below 5, from the viewport.',
  }),
  'objects-without-alt': axe('object-alt', 'medium', {
    title: 'Embedded objects have no alternative text',
    meaning: 'A screen reader cannot say what they show.',
    fix: 'Describe the object between its tags, or give it an aria-label.',
  }),
  'selects-without-label': axe('select-name', 'high', {
    title: 'Selection lists have no label',
    meaning: 'A screen reader cannot say what to choose.',
    fix: 'Connect a label to each select with for and id.',
  }),
  'skip-link-broken': axe('skip-link', 'low', {
    title: 'A skip link leads nowhere',
    meaning: 'Keyboard users do not reach the content.',
    fix: 'Let the link name the id of an element that can have the focus.',
  }),
  'tab-order-changed': axe('tabindex', 'medium', {
    title: 'Elements change the order of the Tab key',
    meaning: 'The focus jumps about the page.',
    fix: 'Use tabindex 0 or -1 only, and put elements into the order of reading.',
  }),
  'touch-targets-too-small': axe('target-size', 'medium', {
    title: 'Touch targets are too small or too close',
    meaning: 'People hit the wrong one.',
    fix: 'Make each at least 24 by 24 CSS pixels, or leave space around it.',
  }),
  'table-headers-unknown': axe('td-headers-attr', 'medium', {
    title: 'Table cells name headers that are not in their table',
    meaning: 'Screen readers cannot say what the cell belongs to.',
    fix: 'Name ids of cells of the same table in headers.',
  }),
  'table-header-without-cells': axe('th-has-data-cells', 'info', {
    title: 'Table headers describe no cells',
    meaning: 'Screen readers announce headers that say nothing.',
    fix: 'Use th only for a row or column with data, else td.',
  }),
  'table-caption-repeated': axe('table-duplicate-name', 'info', {
    title: 'Tables say the same in summary and caption',
    meaning: 'Screen readers read it twice.',
    fix: 'Keep the caption, and remove the summary.',
  }),
  'headings-empty': axe('empty-heading', 'info', {
    title: 'Headings are empty',
    meaning: 'Readers who move by headings stop at nothing.',
    fix: 'Put text into each heading, or use another element.',
  }),
  'videos-without-captions': axe('video-caption', 'info', {
    title: 'Videos have no captions',
    meaning: 'Deaf people do not learn what is said.',
    fix: 'Add a <track kind="captions"> to each video with sound.',
  }),
  'main-landmark-missing': axe('landmark-one-main', 'low', {
    title: 'The page has no main landmark',
    meaning: 'Screen readers cannot jump to the content.',
    fix: 'Put the main content into one <main>.',
  }),
  'autocomplete-invalid': axe('autocomplete-valid', 'low', {
    title: 'Form fields have an invalid autocomplete',
    meaning: 'Browsers cannot fill them in.',
    fix: 'Use the tokens of the HTML Standard, such as "email" or "postal-code".',
  }),
  'vector-images-without-alt': axe('svg-img-alt', 'low', {
    title: 'Vector images have no alternative text',
    meaning: 'A screen reader says only “image”.',
    fix: 'Put a <title> into the svg, or give it an aria-label.',
  }),
} as const satisfies Record<string, AuditRule>;
