/** Records are named in capitals: "A and AAAA" is no article. */
const records = /^A (?:and|or|records?)\b/;
/** Words that have a capital only as the first of a sentence of ours; what is not among them may be a name. */
const firstWords =
  /^(?:An?|After|All|Another|Any|At|Both|Browsers|By|Clients|Connections|Current|Each|Every|For|From|Hop|If|In|It|Its|Key|Line|Modules|Name|Neither|No|Nobody|None|Not|Nothing|Of|On|One|Only|Other|Our|Redirects|Scripts|Some|That|The|There|These|They|This|Those|Tickets|To|Too|Two|What|When|Where|Which|Who|Whoever|With|Without)(?=[\s,’])/;

/** The text as a part of a sentence: without its full stop, and with the small letter that a first word has there. */
export function clause(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text[end - 1] ?? '')) end -= 1;
  const told = text.slice(0, end);
  return records.test(told) ? told : told.replace(firstWords, (word) => word.toLowerCase());
}
