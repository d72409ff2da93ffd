/** The page of a share. The secret stays in the fragment of its address, so that it can be reloaded and bookmarked. */
import texts from 'messages:shared';
import type { SharedPage } from '../../shared/api/shares.ts';
import { language } from '../text/message-runtime.ts';
import { element } from './element.ts';
import { siteSection } from './site-section.ts';
import './page.css';

const VISIBLE_MS = 60_000;
const HIDDEN_MS = 600_000;
const ANSWER_WITHIN_MS = 20_000;

const root = document.getElementById('shared')!;
let shown = '';
let readAt = 0;
let timer = 0;

/** Up to a tenth earlier, so that the pages of one link do not poll together. */
const soon = (ms: number) => ms * (0.9 + Math.random() / 10);

async function refresh(): Promise<void> {
  window.clearTimeout(timer);
  readAt = Date.now();
  const outcome = await read();
  if (typeof outcome !== 'string') show(outcome);
  else if (outcome === 'ended') showOnly(texts.ended, texts.endedHint);
  else if (shown === '') showOnly(texts.unreachable, texts.triesAgain);
  say(typeof outcome === 'string' ? (outcome === 'ended' ? '' : texts.outdated) : '');
  if (outcome !== 'ended') timer = window.setTimeout(refresh, soon(document.hidden ? HIDDEN_MS : VISIBLE_MS));
}

/** `ended`: the link is wrong, expired or revoked. */
async function read(): Promise<SharedPage | 'ended' | 'failed'> {
  const secret = window.location.hash.slice(1);
  if (!/^lr_[\w.-]{1,100}$/.test(secret)) return 'ended';
  try {
    const answer = await fetch(new URL('../shared', window.location.href.split('#', 1)[0]), {
      ...{ cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' },
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    if (answer.status === 403) return 'ended';
    return answer.ok ? ((await answer.json()) as SharedPage) : 'failed';
  } catch {
    return 'failed';
  }
}

function show(page: SharedPage): void {
  const { name, sites, view, expiresAt, isCut } = page;
  document.title = `${name} · LanReach`;
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(new Date());
  const end =
    expiresAt === null ? '' : new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(expiresAt));
  const stand = document.getElementById('stand');
  const text = texts.stand({ time, end });
  const json = JSON.stringify(page);
  // Only what has changed is drawn again, so that reading and scrolling go on undisturbed.
  if (json === shown && stand !== null) {
    stand.textContent = text;
    return;
  }
  shown = json;
  root.replaceChildren(
    element('header', {}, element('h1', { 'data-foreign': '' }, name), element('p', { id: 'stand' }, text)),
    element('p', { id: 'note', role: 'status' }),
    ...sites.map((site) => siteSection(site, { view, isAlone: sites.length === 1 && site.name === name })),
    ...(isCut ? [element('p', {}, texts.moreSites)] : []),
    element('footer', {}, texts.by),
  );
}

function showOnly(title: string, hint: string): void {
  shown = '';
  document.title = `${title} · LanReach`;
  root.replaceChildren(element('header', {}, element('h1', {}, title), element('p', { role: 'status' }, hint)));
}

function say(text: string): void {
  const note = document.getElementById('note');
  if (note !== null && note.textContent !== text) note.textContent = text;
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && Date.now() - readAt > VISIBLE_MS) void refresh();
});
window.addEventListener('hashchange', () => void refresh());
showOnly(texts.loading, '');
void refresh();
