/** FRITZ!Box by TR-064: its list of hosts, and where the mesh says that they are attached. */
import * as z from 'zod';
import { parseMac } from '../../../shared/network.ts';
import { HttpUrl } from '../../config.ts';
import { listOf } from '../../host/json-items.ts';
import { below, fields, observed, parsed, StatusFailure } from '../answers.ts';
import { withDigest } from '../digest.ts';
import { ElementText, elements, parseXmlAnswer, runAction, type Send } from '../soap.ts';
import { defineSource, MAX_ROWS, SourceFailure, type SourceLink } from '../source.ts';
import { linksOfMesh } from './fritzbox-mesh.ts';

const SERVICE = 'urn:dslforum-org:service:Hosts:1';

const FIELDS = 'IPAddress MACAddress Active HostName InterfaceType X_AVM-DE_Port X_AVM-DE_Model';
const Host = z.object(fields(FIELDS, ElementText));
type Host = z.infer<typeof Host>;
const List = z.preprocess((list) => list || {}, z.object({ Item: z.preprocess(elements, listOf(Host)) }));
const HostList = z.object({ List }).transform((answer) => answer.List.Item);

export const fritzbox = defineSource({
  kind: 'fritzbox',
  title: 'FRITZ!Box',
  settings: z.object({
    url: HttpUrl.describe('address for applications, such as https://192.168.178.1:49443'),
    user: z.string().min(1).describe('user of the FRITZ!Box'),
    password: z.string().min(1).describe('password of this user'),
  }),
  secrets: ['password'],
  rights:
    'A user with "FRITZ!Box Settings" (there is no right to read only). "Allow access for applications" has to be on, under Home Network > Network > Network Settings.',
  async *read({ url, ...login }, request) {
    const box = new Box(url, withDigest(request, login));
    const hosts = await box.hostList().catch(unlessRefused);
    const links = await box.meshLinks().catch(unlessRefused);
    // Some boxes fail to make the list.
    for await (const host of hosts ?? box.entries()) yield* hostOf(host, links ?? new Map(), request.now());
  },
});

class Box {
  readonly #url: string;
  readonly #send: Send;

  constructor(url: string, send: Send) {
    this.#url = url;
    this.#send = send;
  }

  async hostList(): Promise<Host[]> {
    const { 'NewX_AVM-DE_HostListPath': path } = await this.#run('X_AVM-DE_GetHostListPath');
    const url = this.#fileUrl(path);
    return parsed(HostList, parseXmlAnswer(await this.#send({ url }), url, 'List'), url.pathname);
  }

  /** One by one. The names of their fields begin with "New". */
  async *entries(): AsyncGenerator<Host> {
    const { NewHostNumberOfEntries: count } = await this.#run('GetHostNumberOfEntries');
    for (let i = 0; i < Math.min(Number(count) || 0, MAX_ROWS + 1); i++) {
      const entry = await this.#run('GetGenericHostEntry', `<NewIndex>${i}</NewIndex>`).catch(unlessRefused);
      const host = Object.entries(entry ?? {}).map(([name, value]) => [name.replace(/^New/, ''), value]);
      yield Host.parse(Object.fromEntries(host));
    }
  }

  /** Only the master of a mesh has them. */
  async meshLinks(): Promise<ReadonlyMap<string, SourceLink>> {
    const { 'NewX_AVM-DE_MeshListPath': path } = await this.#run('X_AVM-DE_GetMeshListPath');
    const url = this.#fileUrl(path);
    const { status, body } = await this.#send({ url });
    if (status !== 200) throw new StatusFailure(status, url);
    return linksOfMesh(body);
  }

  /** The box gives a path with a session, which goes nowhere else. */
  #fileUrl(path = ''): URL {
    const url = URL.canParse(path, this.#url) ? new URL(path, this.#url) : null;
    if (path === '' || url?.origin !== new URL(this.#url).origin) {
      throw new SourceFailure('the FRITZ!Box gave no path of its own');
    }
    return url;
  }

  #run(action: string, input?: string) {
    return runAction(this.#send, { url: below(this.#url, 'upnp/control/hosts'), service: SERVICE }, action, input);
  }
}

/** The box makes `PC-192-168-178-20` of the address of a host without a name. */
const MADE_NAME = /^PC(?:-\d{1,3}){4}$/;

function hostOf(host: Host, links: ReadonlyMap<string, SourceLink>, now: number) {
  const isActive = host.Active === '1';
  const { HostName: name = '', MACAddress: mac = '' } = host;
  return observed({
    mac,
    addresses: [host.IPAddress],
    hostName: MADE_NAME.test(name) ? undefined : name,
    model: host['X_AVM-DE_Model'],
    lastSeen: isActive ? now : undefined,
    link: isActive ? (links.get(parseMac(mac) ?? '') ?? linkOf(host)) : undefined,
  });
}

function linkOf({ InterfaceType: type, 'X_AVM-DE_Port': port = '' }: Host): SourceLink | undefined {
  if (type === '802.11') return { medium: 'wireless' };
  if (type !== 'Ethernet' && type !== 'HomePlug') return undefined;
  return { medium: 'wired', port: /^[1-9]\d?$/.test(port) ? `LAN ${port}` : undefined };
}

/** @throws anything but a refusal: an error of UPnP, or a page that is not there */
function unlessRefused(error: unknown): null {
  if (error instanceof StatusFailure && [404, 500].includes(error.status)) return null;
  throw error;
}
