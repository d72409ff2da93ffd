/** Messages to agents over HTTPS, for functions without a connection to the broker, which rarely send any. */
import { topics } from '../../shared/agent/topics.ts';
import { clientIdOf, type Stage } from '../../shared/identity.ts';
import type { AgentRegistry } from '../sites/agents/agent-registry.ts';

/** The library is loaded with the first message. @param endpoint host of IoT Core's data endpoint */
export function openPublisher(stage: Stage, endpoint: string): Pick<AgentRegistry, 'publish'> {
  let opened: ReturnType<typeof open> | null = null;
  async function open() {
    const { IoTDataPlaneClient, PublishCommand } = await import('@aws-sdk/client-iot-data-plane');
    const client = new IoTDataPlaneClient({
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
      endpoint: `https://${endpoint}`,
    });
    return (topic: string, payload: Buffer) => client.send(new PublishCommand({ topic, qos: 1, payload }));
  }
  return {
    async publish(agent, message) {
      opened ??= open();
      const send = await opened;
      await send(topics.control(clientIdOf(stage, agent)), Buffer.from(JSON.stringify(message)));
    },
  };
}
