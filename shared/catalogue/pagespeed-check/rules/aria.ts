import { axe } from './accessibility.ts';
import type { AuditRule } from './from-audits.ts';

const noName = 'A screen reader announces the element without saying what it is for.';
const nameIt = 'Put text into it, or give it an aria-label or aria-labelledby.';

/** What axe finds in a page's ARIA, with the severities of the other accessibility rules. */
export const ariaAudits = {
  'aria-attribute-not-allowed': axe('aria-allowed-attr', 'high', {
    title: 'ARIA attributes do not fit the role of their element',
    meaning: 'Browsers ignore them, or make the element wrong for screen readers.',
    fix: 'Remove the attribute, or use a role that has it.',
  }),
  'aria-command-without-name': axe('aria-command-name', 'medium', {
    title: 'Elements with the role of a button, link or menu item have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-attribute-conditional': axe('aria-conditional-attr', 'medium', {
    title: 'ARIA attributes are used where their role does not allow it',
    meaning: 'Screen readers may tell another state than the page shows.',
    fix: 'Use the attribute only under the conditions of its role.',
  }),
  'aria-role-deprecated': axe('aria-deprecated-role', 'low', {
    title: 'ARIA roles are deprecated',
    meaning: 'Screen readers may not know them.',
    fix: 'Use the role that has replaced it.',
  }),
  'aria-dialog-without-name': axe('aria-dialog-name', 'medium', {
    title: 'Dialogs have no name',
    meaning: noName,
    fix: 'Give the dialog an aria-label, or name its heading in aria-labelledby.',
  }),
  'aria-body-hidden': axe('aria-hidden-body', 'high', {
    title: 'The whole page is hidden from screen readers',
    meaning: 'The body has aria-hidden="true", so nothing of the page is read.',
    fix: 'Remove aria-hidden from the body.',
  }),
  'aria-hidden-focusable': axe('aria-hidden-focus', 'medium', {
    title: 'Hidden elements can have the focus',
    meaning: 'Keyboard users reach elements that screen readers do not announce.',
    fix: 'Give the elements tabindex="-1", or hide them with CSS too.',
  }),
  'aria-input-without-name': axe('aria-input-field-name', 'medium', {
    title: 'ARIA input fields have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-meter-without-name': axe('aria-meter-name', 'medium', {
    title: 'ARIA meters have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-progress-without-name': axe('aria-progressbar-name', 'medium', {
    title: 'ARIA progress bars have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-attribute-prohibited': axe('aria-prohibited-attr', 'medium', {
    title: 'Elements have ARIA attributes that their role prohibits',
    meaning: 'Screen readers ignore what they say.',
    fix: 'Remove the attribute, or give the element a role that may have it.',
  }),
  'aria-attribute-missing': axe('aria-required-attr', 'high', {
    title: 'ARIA roles lack attributes that they require',
    meaning: 'Screen readers cannot tell the state of the element.',
    fix: 'Add the attributes of the role, such as aria-checked for a checkbox.',
  }),
  'aria-children-missing': axe('aria-required-children', 'high', {
    title: 'ARIA roles lack the children that they require',
    meaning: 'Screen readers cannot tell the items of the element.',
    fix: 'Give the children the roles that the parent requires.',
  }),
  'aria-parent-missing': axe('aria-required-parent', 'high', {
    title: 'ARIA roles stand outside the parent that they require',
    meaning: 'Screen readers do not know what the element belongs to.',
    fix: 'Put the element into one with the role that it requires.',
  }),
  'aria-role-unknown': axe('aria-roles', 'high', {
    title: 'ARIA roles are not valid',
    meaning: 'Screen readers ignore them.',
    fix: 'Use a role of WAI-ARIA, spelled as there.',
  }),
  'aria-role-not-allowed': axe('aria-allowed-role', 'info', {
    title: 'ARIA roles stand on elements that cannot have them',
    meaning: 'Browsers may ignore the role or the element.',
    fix: 'Use an element that fits, or a div with the role.',
  }),
  'aria-text-focusable': axe('aria-text', 'medium', {
    title: 'Elements with the role text contain focusable elements',
    meaning: 'Screen readers read one text, and the elements in it cannot be reached.',
    fix: 'Remove the role, or the focusable elements.',
  }),
  'aria-toggle-without-name': axe('aria-toggle-field-name', 'medium', {
    title: 'ARIA switches and checkboxes have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-tooltip-without-name': axe('aria-tooltip-name', 'medium', {
    title: 'ARIA tooltips have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-tree-item-without-name': axe('aria-treeitem-name', 'medium', {
    title: 'ARIA tree items have no name',
    meaning: noName,
    fix: nameIt,
  }),
  'aria-value-invalid': axe('aria-valid-attr-value', 'high', {
    title: 'ARIA attributes have invalid values',
    meaning: 'Screen readers ignore them.',
    fix: 'Use the values of WAI-ARIA; an id must exist in the page.',
  }),
  'aria-attribute-unknown': axe('aria-valid-attr', 'high', {
    title: 'ARIA attributes are misspelled',
    meaning: 'Browsers do not know them, so screen readers do not tell them.',
    fix: 'Spell the attribute as WAI-ARIA does.',
  }),
  'aria-id-repeated': axe('duplicate-id-aria', 'info', {
    title: 'Ids that ARIA attributes refer to are not unique',
    meaning: 'Screen readers take the first element of that id.',
    fix: 'Give each id once.',
  }),
  'presentation-role-conflicting': axe('presentation-role-conflict', 'low', {
    title: 'Elements with the role none can have the focus or carry ARIA attributes',
    meaning: 'Browsers ignore the role then.',
    fix: 'Remove the role, or what conflicts with it.',
  }),
} as const satisfies Record<string, AuditRule>;
