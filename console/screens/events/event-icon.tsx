/** The type of an event as an icon, or the shape and colour of a state. */
import eventNames from 'messages:eventNames';
import {
  ArchiveIcon,
  DoorClosedIcon,
  DoorOpenIcon,
  DownloadIcon,
  GlobeIcon,
  type LucideIcon,
  MergeIcon,
  NetworkIcon,
  PencilIcon,
  PlusIcon,
  RouteIcon,
  SplitIcon,
  TagIcon,
  Trash2Icon,
  TriangleAlertIcon,
  Undo2Icon,
} from 'lucide-react';
import type { EventType } from '../../../shared/api/events.ts';
import { StatusShape, type Tone } from '../../ui/status.tsx';
import styles from './events.module.css';

const TONES: Partial<Record<EventType, Tone>> = {
  ...{ online: 'good', offline: 'calm', down: 'bad' },
  ...{ 'check-down': 'bad', 'check-up': 'good', 'certificate-ending': 'warn' },
  ...{ 'agent-lost': 'warn', 'agent-back': 'good', 'agent-update-failed': 'bad' },
  ...{ 'site-dark': 'bad', 'site-back': 'good', outage: 'bad', 'outage-over': 'good' },
  ...{ 'internet-lost': 'bad', 'internet-back': 'good', 'speed-low': 'warn', 'speed-normal': 'good' },
  'turn-missed': 'warn',
};
const ICONS: Partial<Record<EventType, LucideIcon>> = {
  new: PlusIcon,
  found: PlusIcon,
  'ip-changed': NetworkIcon,
  conflict: TriangleAlertIcon,
  renamed: TagIcon,
  edited: PencilIcon,
  archived: ArchiveIcon,
  deleted: Trash2Icon,
  restored: Undo2Icon,
  imported: DownloadIcon,
  joined: MergeIcon,
  split: SplitIcon,
  'port-opened': DoorOpenIcon,
  'port-closed': DoorClosedIcon,
  'route-changed': RouteIcon,
  'address-changed': GlobeIcon,
};

export function EventIcon({ type }: { type: EventType }) {
  const tone = TONES[type];
  const Icon = ICONS[type];
  return (
    <span
      className={`${styles.icon} grid place-items-center h-5 text-muted data-[type=new]:text-new max-600:row-1 max-600:col-1`}
      title={eventNames[type]}
      data-type={type}
    >
      {tone === undefined ? null : <StatusShape tone={tone} />}
      {Icon === undefined ? null : <Icon aria-hidden="true" />}
    </span>
  );
}
