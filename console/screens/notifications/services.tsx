/** The services that notifications go to: the fields of each, and the URL made from them. */
import texts from 'messages:notifications';
import {
  BellRing,
  Hash,
  type LucideIcon,
  Mail,
  Megaphone,
  MessageSquare,
  MessagesSquare,
  RadioTower,
  Send,
  Smartphone,
  Webhook,
} from 'lucide-react';
import type { Hook } from '../../../shared/api/hooks.ts';
import { addressOf, mailtoOf } from '../../../shared/mail-address.ts';

/** The fields of all services. */
export type Answers = Record<keyof typeof NO_ANSWERS, string>;

interface Service {
  format: Hook['format'];
  icon: LucideIcon;
  fields: readonly { name: keyof Answers; label: string; hint?: string }[];
  /** Empty while a field is missing. */
  urlOf: (answers: Answers) => string;
}

const { fields } = texts;
const BY_URL = {
  fields: [{ name: 'url', label: fields.url, hint: fields.urlHint }],
  urlOf: ({ url }: Answers) => url.trim(),
} as const satisfies Partial<Service>;

export const SERVICES = {
  email: {
    format: 'email',
    icon: Mail,
    fields: [{ name: 'address', label: fields.address, hint: fields.addressHint }],
    urlOf: ({ address }) => (address.trim() === '' ? '' : mailtoOf(address)),
  },
  ntfy: {
    format: 'ntfy',
    icon: BellRing,
    fields: [
      { name: 'topic', label: fields.topic, hint: fields.topicHint },
      { name: 'server', label: fields.server },
    ],
    urlOf: ({ server, topic }) => joined(server, topic),
  },
  telegram: {
    format: 'telegram',
    icon: Send,
    fields: [
      { name: 'botToken', label: fields.botToken, hint: fields.botTokenHint },
      { name: 'chat', label: fields.chat, hint: fields.chatHint },
    ],
    urlOf({ botToken, chat }) {
      const [bot, id] = [botToken.trim(), chat.trim()];
      if (!/^\d+:[\w-]+$/.test(bot) || id === '') return '';
      return `https://api.telegram.org/bot${bot}/sendMessage?${new URLSearchParams({ chat_id: id })}`;
    },
  },
  slack: { format: 'slack', icon: Hash, ...BY_URL },
  discord: { format: 'discord', icon: MessagesSquare, ...BY_URL },
  teams: { format: 'teams', icon: MessageSquare, ...BY_URL },
  gotify: {
    format: 'gotify',
    icon: Megaphone,
    fields: [
      { name: 'server', label: fields.server },
      { name: 'appToken', label: fields.appToken, hint: fields.tokenHint },
    ],
    urlOf({ server, appToken }) {
      const token = appToken.trim();
      return token === '' ? '' : `${joined(server, 'message')}?${new URLSearchParams({ token })}`;
    },
  },
  pushover: {
    format: 'pushover',
    icon: Smartphone,
    fields: [
      { name: 'userKey', label: fields.userKey, hint: fields.tokenHint },
      { name: 'appToken', label: fields.appToken, hint: fields.tokenHint },
    ],
    urlOf({ appToken, userKey }) {
      const [token, user] = [appToken.trim(), userKey.trim()];
      if (token === '' || user === '') return '';
      return `https://api.pushover.net/1/messages.json?${new URLSearchParams({ token, user })}`;
    },
  },
  apprise: {
    format: 'apprise',
    icon: RadioTower,
    fields: [
      { name: 'server', label: fields.server },
      { name: 'appriseKey', label: fields.appriseKey, hint: fields.appriseHint },
      { name: 'appriseTag', label: fields.appriseTag },
    ],
    urlOf({ server, appriseKey, appriseTag: tag }) {
      const url = server.trim() === '' ? '' : joined(`${server.trim().replace(/\/+$/, '')}/notify`, appriseKey);
      return url === '' || tag.trim() === '' ? url : `${url}?${new URLSearchParams({ tag: tag.trim() })}`;
    },
  },
  webhook: { format: 'json', icon: Webhook, ...BY_URL },
} as const satisfies Record<string, Service>;

export type ServiceId = keyof typeof SERVICES;
export const SERVICE_IDS = Object.keys(SERVICES) as ServiceId[];

export function serviceOf(format: Hook['format']): ServiceId {
  return SERVICE_IDS.find((id) => SERVICES[id].format === format) ?? 'webhook';
}

export function serviceName(id: ServiceId): string {
  return texts.services[id].name;
}

export const NO_ANSWERS = {
  ...{ server: '', topic: '', url: '', botToken: '', chat: '', appToken: '', userKey: '' },
  ...{ address: '', appriseKey: '', appriseTag: '' },
};

/** The initial fields. A topic of ntfy is its password, so it is random. */
export function firstAnswers(service: ServiceId): Answers {
  if (service !== 'ntfy') return NO_ANSWERS;
  const letters = crypto.getRandomValues(new Uint8Array(8));
  const topic = `lanreach-${Array.from(letters, (byte) => (byte % 36).toString(36)).join('')}`;
  return { ...NO_ANSWERS, server: 'https://ntfy.sh', topic };
}

/** Its name, or that of its service. */
export function titleOf({ name, format }: Pick<Hook, 'name' | 'format'>): string {
  return name ?? serviceName(serviceOf(format));
}

/** Where it sends to, as far as it is no secret: the address, or the host. */
export const receiverOf = (url: string): string => addressOf(url) ?? new URL(url).host;

export function ServiceIcon({ service }: { service: ServiceId }) {
  const Icon = SERVICES[service].icon;
  return (
    <span
      className="grid flex-none place-items-center size-9 rounded-card bg-sunken text-muted [&_svg]:size-4.5 [&_svg]:stroke-[1.75]"
      aria-hidden="true"
    >
      <Icon />
    </span>
  );
}

/** Empty unless both are given. */
function joined(server: string, path: string): string {
  const base = server.trim().replace(/\/+$/, '');
  const name = path.trim().replace(/^\/+/, '');
  if (base === '' || name === '') return '';
  return `${/^https?:\/\//.test(base) ? base : `https://${base}`}/${encodeURIComponent(name)}`;
}
