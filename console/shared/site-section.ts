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

/** A state by shape and colour; the word stands beside it. */
function mark(state: SharedDevice['status']): HTMLElement {
  return element('i', { class: `mark ${state}`, 'aria-hidden': 'true' });
}

function row(device: SharedDevice): HTMLElement {
  return element('li', {}, ...label(device), element('span', { class: 'state' }, texts.states[device.status]));
}

function label({ name, type, status, ip = '', mac = '' }: SharedDevice): HTMLElement[] {
  const about = [...(name === '' ? [] : [type]), ip, mac].filter((one) => one !== '').join(' · ');
  return [
    mark(status),
    element('span', { class: 'name', 'data-foreign': '' }, name || type || texts.unnamed),
    ...(about === '' ? [] : [element('span', { class: 'about', 'data-foreign': '' }, about)]),
  ];
}

/** A card for each device that others are connected to, with those at its end in it. */
function tree(branches: readonly Branch[]): HTMLElement {
  return element('ul', {}, ...branches.map((branch) => element('li', {}, card(branch), ...below(branch))));
}

function card({ device, leaves }: Branch): HTMLElement {
  const head =
    device === null
      ? element('p', { class: 'head' }, texts.unconnected)
      : element('p', { class: 'head' }, ...label(device), hidden(texts.states[device.status]));
  const chips = leaves.map((leaf) => element('li', {}, ...label(leaf), hidden(texts.states[leaf.status])));
  return element('div', { class: 'card' }, head, ...(chips.length === 0 ? [] : [element('ul', {}, ...chips)]));
}

function below({ branches }: Branch): HTMLElement[] {
  return branches.length === 0 ? [] : [tree(branches)];
}

const hidden = (text: string) => element('span', { class: 'unseen' }, text);
