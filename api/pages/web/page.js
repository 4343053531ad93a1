// All pages are complete without this file. It adds copy buttons, live progress, and the list of recent checks.
const recentKey = 'recent-checks';
const mostRecent = 12;

/** Gives the main part of a page what only a script can do. */
function enhance() {
  for (const pre of document.querySelectorAll('main pre')) addCopyButton(pre);
  const report = document.querySelector('[data-recent]');
  if (report) keepRecent(report.dataset);
  showRecent();
  for (const time of document.querySelectorAll('time.ago')) tellAge(time);
  const going = document.querySelector('.going');
  if (going) void follow(going);
}

const spans = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "3 minutes ago", with the exact time on hover: a page that was kept does not know how old it is. */
function tellAge(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time.dateTime)) / 1000);
  const [unit, name] = spans.find(([length]) => seconds >= length) ?? [1, 'second'];
  const count = Math.floor(seconds / unit);
  time.title = time.textContent;
  time.textContent = `${count} ${name}${count === 1 ? '' : 's'} ago`;
}

function addCopyButton(pre) {
  const box = document.createElement('div');
  box.className = 'copied';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(pre.textContent).then(
      () => say(button, 'Copied'),
      () => say(button, 'Select it'),
    );
  });
  pre.replaceWith(box);
  box.append(pre, button);
}

function say(button, words) {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

// A browser may refuse to keep anything: then there is no list.
function readRecent() {
  try {
    const list = JSON.parse(localStorage.getItem(recentKey) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function writeRecent(list) {
  try {
    localStorage.setItem(recentKey, JSON.stringify(list.slice(0, mostRecent)));
  } catch {}
}

function keepRecent({ recent, name, target, grade }) {
  const others = readRecent().filter(({ path }) => path !== recent);
  writeRecent([{ path: recent, name, target, grade }, ...others]);
}

function showRecent() {
  const section = document.getElementById('recent');
  const list = section?.querySelector('ul');
  // Only paths of this service: what is kept in a browser may be anything.
  const known = readRecent().filter(({ path }) => typeof path === 'string' && /^\/(?!\/)/.test(path));
  if (!section || !list || known.length === 0) return;
  list.replaceChildren(...known.map(makeItem));
  section.hidden = false;
  document.getElementById('forget')?.addEventListener('click', () => {
    writeRecent([]);
    section.hidden = true;
  });
}

function makeItem({ path, name, target, grade }) {
  const item = document.createElement('li');
  const mark = document.createElement('b');
  mark.textContent = String(grade);
  const link = document.createElement('a');
  link.href = path;
  link.textContent = String(target);
  const about = document.createElement('span');
  about.className = 'about';
  about.textContent = String(name);
  item.append(mark, link, about);
  return item;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again how far a job is, by the page itself, and shows its report when it has ended. */
async function follow(going) {
  const { self } = going.dataset;
  const begun = Date.now();
  for (let waitS = 0.5; ;) {
    await pause(1000 * waitS);
    const answer = await fetch(location.href, { redirect: 'manual' }).catch(() => Response.error());
    if (!going.isConnected) return;
    if (answer.type === 'opaqueredirect') return location.replace(self);
    if (answer.status === 200) return location.reload();
    // The first grades come after a second or two.
    const soonS = Date.now() - begun < 4000 ? 0.5 : 1;
    waitS = answer.status === 202 ? soonS : Math.min(30, Number(answer.headers.get('Retry-After')) || 2);
    if (answer.status === 202) showAgain(going, await answer.text());
    else going.querySelector('#state').textContent = 'The service does not answer now. Trying again.';
  }
}

/** Only what has changed is written again, so that a reader's place and a screen reader's words stay. */
function showAgain(going, html) {
  const now = new DOMParser().parseFromString(html, 'text/html').querySelector('.going');
  if (!now) return;
  const bar = going.querySelector('progress');
  const barNow = now.querySelector('progress');
  bar.max = barNow.max;
  bar.value = barNow.value;
  const lists = [going, now].map((one) => [
    one.querySelector('#state'),
    ...one.querySelectorAll('.parts > li'),
  ]);
  lists[0].forEach((item, index) => {
    const itemNow = lists[1][index];
    if (!itemNow || item.innerHTML === itemNow.innerHTML) return;
    if (itemNow.dataset.state) item.dataset.state = itemNow.dataset.state;
    item.replaceChildren(...itemNow.childNodes);
  });
}

enhance();
