/**
 * The permissions of each connection to the embedded broker, equivalent to those of AWS IoT Core: the rights come from the
 * same table as its policies, the limits are its quotas.
 */
import { BROKER_LIMITS, InstanceId, permissions, topicMatches } from '../shared/agent/topics.ts';
import { readClientId } from '../shared/identity.ts';
import { FUNCTIONS_NAME } from './certificate-authority.ts';

export interface Rights {
  subscribe: string[];
  receive: string[];
  publish: string[];
}

/**
 * The rights of a connection; null if the certificate does not permit the client id. An agent's client id equals the common
 * name of its certificate; the certificate of the functions permits many client ids.
 */
export function rightsOf(commonName: string | null, clientId: string): Rights | null {
  if (commonName === FUNCTIONS_NAME) {
    const instance = InstanceId.safeParse(clientId);
    return instance.success ? permissions.functions(instance.data) : null;
  }
  const identity = readClientId(clientId);
  if (identity === null || commonName !== clientId) return null;
  return permissions.agent(identity.stage, clientId);
}

interface Publication {
  topic: string;
  qos?: number | undefined;
  retain?: boolean | undefined;
}

/** Why a publication is rejected, or null. The packet limiter has checked its size. */
export function refusalOfPublish(rights: Rights, { topic, qos, retain }: Publication): string | null {
  if (qos === 2) return 'QoS 2 is not supported';
  if (isTooLong(topic)) return 'the topic is too long';
  // A right such as `r/+/x` would also match the literal topic `r/+/x`, and only this check covers last wills.
  if (/[+#]/.test(topic)) return 'the topic has a wildcard';
  if (!rights.publish.some((filter) => topicMatches(filter, topic))) return 'no right to publish on the topic';
  if (retain) return 'no right to retain messages'; // Like IoT Core without iot:RetainPublish.
  return null;
}

/** Why a subscription is rejected, or null. */
export function refusalOfSubscribe(rights: Rights, filter: string, qos: number): string | null {
  if (qos === 2) return 'QoS 2 is not supported';
  if (isTooLong(filter)) return 'the filter is too long';
  // Also rejects `$share/…` and `$SYS/…`, for which no right exists.
  if (!rights.subscribe.some((allowed) => filterCovers(allowed, filter))) return 'no right to subscribe to the filter';
  return null;
}

export function mayReceive(rights: Rights, topic: string): boolean {
  return rights.receive.some((filter) => topicMatches(filter, topic));
}

function isTooLong(topic: string): boolean {
  return (
    Buffer.byteLength(topic) > BROKER_LIMITS.topicBytes || topic.split('/').length - 1 > BROKER_LIMITS.topicSlashes
  );
}

/** Whether every topic that matches `filter` also matches `wider`. */
export function filterCovers(wider: string, filter: string): boolean {
  const levels = filter.split('/');
  const allowed = wider.split('/');
  for (const [i, level] of levels.entries()) {
    if (allowed[i] === '#') return true;
    const fits = allowed[i] === '+' ? level !== '#' : allowed[i] === level;
    if (!fits) return false;
  }
  return levels.length === allowed.length;
}
