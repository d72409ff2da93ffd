/** Each word of the contract has a text: without one, this file has an error of types. */
import chart from 'messages:chart';
import check from 'messages:check';
import checks from 'messages:checks';
import commands from 'messages:commands';
import deviceFields from 'messages:deviceFields';
import eventNames from 'messages:eventNames';
import kinds from 'messages:kinds';
import notifications from 'messages:notifications';
import roles from 'messages:roles';
import schedules from 'messages:schedules';
import sources from 'messages:sources';
import templates from 'messages:templates';
import tokens from 'messages:tokens';
import tools from 'messages:tools';
import { expect, test } from 'vitest';
import type { ObservationSource } from '../../shared/agent/observations.ts';
import type { Check, CheckKind } from '../../shared/api/checks.ts';
import type { HookEvent } from '../../shared/api/hook-events.ts';
import type { DeliveryState } from '../../shared/api/hooks.ts';
import type { SETTING_PATHS } from '../../shared/api/template-settings.ts';
import type { DeviceField } from '../../shared/device.ts';
import type { Scope } from '../../shared/identity.ts';
import { KINDS, type KindId } from '../../shared/recognition/kind-table.ts';
import type { Role } from '../../shared/roles.ts';
import type { WEEKDAYS } from '../../shared/schedule-terms.ts';
import type { Tool } from '../../shared/tools/list.ts';
import type { NmapMode, NmapProtocol } from '../../shared/tools/nmap.ts';
import type { ServiceId } from '../screens/notifications/services.tsx';
import type { Preset } from '../screens/schedules/presets.ts';
import type { SpanName } from '../ui/chart/time-span.ts';

type For<Word extends string> = Readonly<Record<Word, string>>;

const COMPLETE = [
  chart.spans satisfies For<SpanName>,
  chart.lastSpans satisfies For<SpanName>,
  check.kinds satisfies For<CheckKind>,
  check.states satisfies For<Check['state']>,
  checks.kinds satisfies For<CheckKind>,
  commands.tools satisfies For<Tool>,
  commands.purposes satisfies For<Tool>,
  deviceFields satisfies For<DeviceField>,
  eventNames satisfies For<HookEvent['type']>,
  kinds satisfies For<KindId>,
  notifications.deliveryStates satisfies For<DeliveryState>,
  notifications.weekdays satisfies For<(typeof WEEKDAYS)[number]>,
  roles.names satisfies For<Role>,
  roles.hints satisfies For<Role>,
  schedules.presets satisfies For<Preset>,
  sources satisfies For<ObservationSource>,
  templates.settingNames satisfies For<(typeof SETTING_PATHS)[number]>,
  tokens.scopes satisfies For<Scope>,
  tools.modes satisfies For<NmapMode | NmapProtocol>,
];

test('each of these texts says something', () => {
  expect(notifications.services satisfies Readonly<Record<ServiceId, unknown>>).toBeTruthy();
  for (const texts of COMPLETE) expect(Object.values(texts)).not.toContain('');
});

test('kinds are called in English as in the data', () => {
  expect(kinds).toEqual(Object.fromEntries(Object.entries(KINDS).map(([kind, { label }]) => [kind, label])));
});
