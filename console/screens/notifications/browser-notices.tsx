/** Notifications of the browser about new events, while a tab of the console is open; off by default. */
import bellTexts from 'messages:bell';
import { useEffect, useRef, useState } from 'react';
import { CheckField } from '../../ui/field.tsx';
import { makeKeptStore } from '../../ui/store.ts';
import { idOf, type SiteEvent } from '../events/feed.ts';
import { sentenceOf, textOf } from '../events/sentence.ts';

const choice = makeKeptStore('lanreach.browser-notices');
const isAble = 'Notification' in window && window.isSecureContext;
/** Above it, one notification counts them. */
const ONE_BY_ONE = 3;

/** Shows the events since the page was opened. */
export function useBrowserNotices(unread: readonly SiteEvent[], siteNames: ReadonlyMap<string, string>): void {
  const isOn = choice.use() === 'on';
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const before = known.current;
    known.current = new Set(unread.map(idOf));
    if (before === null || !isOn || !isAble || Notification.permission !== 'granted') return;
    const fresh = unread.filter((entry) => !before.has(idOf(entry)));
    if (fresh.length > ONE_BY_ONE) return show('LanReach', bellTexts.several({ count: fresh.length }), 'several');
    for (const entry of fresh) {
      const name = siteNames.get(entry.site) ?? entry.site;
      show(name, textOf(sentenceOf(entry.event, name)), idOf(entry));
    }
  }, [unread, siteNames, isOn]);
}

/** @param tag shown once per browser, whatever its tabs */
function show(title: string, body: string, tag: string): void {
  try {
    const notice = new Notification(title, { body, tag });
    notice.onclick = () => window.focus();
  } catch {
    // Phones require a service worker.
  }
}

export function BrowserChoice() {
  const isOn = choice.use() === 'on';
  const [isRefused, setRefused] = useState(false);
  if (!isAble) return null;
  async function turn(on: boolean): Promise<void> {
    const isAllowed = !on || (await Notification.requestPermission()) === 'granted';
    setRefused(!isAllowed);
    choice.set(on && isAllowed ? 'on' : null);
  }
  return (
    <CheckField
      label={bellTexts.inBrowser}
      hint={isRefused ? bellTexts.refused : bellTexts.inBrowserHow}
      checked={isOn}
      onChange={({ target: { checked } }) => void turn(checked)}
    />
  );
}
