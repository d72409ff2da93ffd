import { describe, expect, test } from 'vitest';
import { device } from '../../../test/support/console/devices.ts';
import { stepFrom } from './keyboard.ts';
import { layoutOf } from './layout.ts';
import { forestOf } from './tree.ts';
import { viewOf } from './view.ts';

const grid = Array.from({ length: 20 }, (_, at) => device(`g${String(at).padStart(2, '0')}`, 'ap'));
const LAN = [device('core'), device('nas', 'core'), device('tv', 'core'), device('ap', 'core'), ...grid];
const cardsWith = (toggled: ReadonlyMap<string, boolean>) =>
  layoutOf(viewOf(forestOf(LAN), { toggled, isDownOnly: false, found: null }).roots, {
    frame: { width: 1_000, height: 700 },
  }).cards;
const open = cardsWith(new Map());

describe('keys in the topology', () => {
  test.each([
    ['core', 'ArrowDown', 'nas'],
    ['core', 'ArrowRight', 'nas'],
    ['nas', 'ArrowDown', 'tv'],
    ['nas', 'ArrowUp', 'core'],
    ['nas', 'ArrowLeft', 'core'],
    ['tv', 'ArrowDown', 'ap'],
    ['ap', 'ArrowUp', 'tv'],
    ['ap', 'ArrowDown', 'g00'],
    ['g00', 'ArrowRight', 'g01'],
    ['g00', 'ArrowLeft', 'ap'],
    ['g01', 'ArrowDown', 'g03'],
    ['g03', 'ArrowUp', 'g01'],
    ['g17', 'ArrowDown', 'g19'],
    ['g01', 'ArrowUp', 'ap'],
    ['g10', 'PageUp', 'ap'],
    ['core', 'PageDown', 'ap'],
    ['g10', 'Home', 'core'],
    ['core', 'End', 'g19'],
  ])('on %s %s goes to %s', (at, key, goTo) => expect(stepFrom(open, at, key)).toEqual({ goTo }));

  test.each([
    ['core', 'ArrowLeft'],
    ['ap', ' '],
  ])('on %s %j closes the card', (at, key) => expect(stepFrom(open, at, key)).toEqual({ toggle: at }));

  test.each([
    ['core', 'ArrowUp'],
    ['g19', 'ArrowDown'],
    ['g18', 'ArrowDown'],
    ['core', 'x'],
    ['gone', 'Home'],
  ])('on %s %s does nothing', (at, key) => expect(stepFrom(open, at, key)).toBeNull());

  test('a closed card opens, or leads to its parent', () => {
    const closed = cardsWith(new Map([['ap', false]]));
    expect(stepFrom(closed, 'ap', 'ArrowRight')).toEqual({ toggle: 'ap' });
    expect(stepFrom(closed, 'ap', 'ArrowLeft')).toEqual({ goTo: 'core' });
    expect(stepFrom(closed, 'ap', 'ArrowDown')).toBeNull();
  });
});
