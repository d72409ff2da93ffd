/** One site of a share: its numbers, and its devices as a list or as a map. */
import texts from 'messages:shared';
import type { SharedDevice, SharedPage, SharedSite } from '../../shared/api/shares.ts';
import { type Branch, branchesOf } from './branches.ts';
import { element } from './element.ts';

const STATES = ['down', 'offline', 'unmonitored', 'online'] as const;

interface Look {
  view: SharedPage['view'];
  /** Whether its name is the heading of the page already. */
  isAlone: boolean;
}

export function siteSection(site: SharedSite, { view, isAlone }: Look): HTMLElement {
  const { name, isMonitored, hasInternet, outages, counts, devices, more } = site;
  const troubles = [
    ...(isMonitored ? [] : [texts.unmonitored]),
    ...(hasInternet ? [] : [texts.noInternet]),
    ...(outages > 0 ? [texts.outages({ count: outages })] : []),
  ];
  const numbers = STATES.filter((state) => counts[state] > 0 || state === 'online').map((state) =>
    element('li', { 'data-state': state }, mark(state), texts.counts[state]({ count: counts[state] })),
  );
  const branches = view === 'map' ? branchesOf(devices) : [];
  const list =
    view === 'map'
      ? element(
          'div',
          { class: 'map', tabindex: '0', role: 'region', 'aria-label': texts.mapOf({ name }) },
          tree(branches),
        )
      : element('ul', { class: 'devices', 'aria-label': texts.devicesOf({ name }) }, ...devices.map((one) => row(one)));
  return element(
    'section',
    { 'aria-label': name },
    ...(isAlone ? [] : [element('h2', { 'data-foreign': '' }, name)]),
    ...(troubles.length === 0
      ? []
      : [element('ul', { class: 'troubles' }, ...troubles.map((one) => element('li', {}, one)))]),
    element('ul', { class: 'numbers', 'aria-label': texts.numbers }, ...numbers),
    ...(devices.length === 0 ? [] : [list]),
    ...(more === 0 ? [] : [element('p', { class: 'more' }, texts.more({ count: more }))]),
  );
}

/** A state by shape and colour. @param isAlone as in `label` */
function mark(state: SharedDevice['status'], isAlone = false): HTMLElement {
  const name: Record<string, string> = isAlone
    ? { role: 'img', 'aria-label': texts.states[state] }
    : { 'aria-hidden': 'true' };
  return element('i', { class: `mark ${state}`, ...name });
}

function row(device: SharedDevice): HTMLElement {
  const state = element('span', { class: 'state' }, texts.states[device.status]);
  return element('li', {}, ...label(device), state);
}

/** @param isAlone whether its state is in no word beside it */
function label({ name, type, status, ip = '', mac = '' }: SharedDevice, isAlone = false): HTMLElement[] {
  const about = [...(name === '' ? [] : [type]), ip, mac].filter((one) => one !== '').join(' · ');
  const called = element('span', { 'data-foreign': '' }, mark(status, isAlone), name || type || texts.unnamed);
  return about === '' ? [called] : [called, element('span', { class: 'about', 'data-foreign': '' }, about)];
}

/** A card for each device to which others are connected, with those at its end in it. */
function tree(branches: readonly Branch[]): HTMLElement {
  const items = branches.map(({ device, leaves, branches: below }) => {
    const head = device === null ? [texts.unconnected] : label(device, true);
    const chips = leaves.map((leaf) => element('li', {}, ...label(leaf, true)));
    const card = element('div', { class: 'card' }, element('p', { class: 'head' }, ...head));
    if (chips.length > 0) card.append(element('ul', { class: 'leaves' }, ...chips));
    return element('li', {}, card, ...(below.length === 0 ? [] : [tree(below)]));
  });
  return element('ul', { class: 'branches' }, ...items);
}
