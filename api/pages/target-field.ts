import { catalogue } from '#shared/catalogue/registry';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { mainCheck, type PageServices } from './page-services.ts';

const longestField = 300;

/** What was written that could not be understood, and why. */
export type Slip = { readonly target: string; readonly why: string };

/** The one field for what to check. */
export function targetField({ isOffered }: PageServices['site'], base: string, slip?: Slip): Markup {
  const others = catalogue.filter((spec) => spec.name !== mainCheck && isOffered(spec));
  const value = slip ? clip(slip.target, longestField) : '';
  const wrong = slip ? markup` aria-invalid="true" aria-describedby="why"` : nothing;
  return markup`<form class="ask" action="${base}/go" method="post" role="search">
<label for="target">Domain, URL or e-mail address</label>
<div class="row"><input id="target" name="target" type="text" inputmode="url" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2048" placeholder="example.com" value="${value}"${wrong}>
<button type="submit">Check</button></div>
${slip ? markup`<p class="wrong" id="why" role="alert">${slip.why}</p>` : nothing}
<fieldset><legend>Or only one part</legend>
<ul class="tools">${others.map(({ name }) => toolButton(name))}</ul></fieldset>
</form>
`;
}

function toolButton(check: string): Markup {
  const { name, about } = checkWords[check] ?? { name: check, about: '' };
  return markup`<li><button type="submit" name="check" value="${check}" class="tool"><b>${name}</b> <span>${about}</span></button></li>
`;
}
