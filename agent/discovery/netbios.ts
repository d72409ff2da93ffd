/** NetBIOS node status (RFC 1002 sections 4.2.17 and 4.2.18): a Windows host, or Samba, reports its name. */

const NBSTAT = 0x21;
const IN = 1;
const HEADER_BYTES = 12;
const NAME_BYTES = 16;
const ENTRY_BYTES = NAME_BYTES + 2;
const GROUP = 0x8000;
/** The suffix of a workstation's name. Others are those of its services. */
const WORKSTATION = 0x00;

/** Requests all names of the receiver. */
export function nodeStatusRequest(id: number): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES + 1 + 2 * NAME_BYTES + 1 + 4);
  packet.writeUInt16BE(id & 0xffff, 0);
  packet.writeUInt16BE(1, 4); // One question.
  packet.writeUInt8(2 * NAME_BYTES, HEADER_BYTES);
  // The name "*", padded with zeros, each half of a byte as a letter (RFC 1001 section 14.1).
  packet.write('CK'.padEnd(2 * NAME_BYTES, 'A'), HEADER_BYTES + 1, 'latin1');
  packet.writeUInt16BE(NBSTAT, packet.length - 4);
  packet.writeUInt16BE(IN, packet.length - 2);
  return packet;
}

/** The name of the host in a response to the request with this id; null in anything else. Never throws. */
export function nameInNodeStatus(packet: Buffer, id: number): string | null {
  // The response repeats the queried name; compressed names (RFC 883) are two bytes instead.
  if (packet.length < HEADER_BYTES + 2 || packet.readUInt16BE(0) !== id || (packet.readUInt8(2) & 0x80) === 0)
    return null;
  const isCompressed = packet.readUInt8(HEADER_BYTES) >= 0xc0;
  const fields = HEADER_BYTES + (isCompressed ? 2 : 2 + 2 * NAME_BYTES);
  const entries = fields + 11; // Type, class, time to live, length, number of names.
  if (packet.length < entries || packet.readUInt16BE(fields) !== NBSTAT) return null;
  const count = packet.readUInt8(entries - 1);
  for (let i = 0; i < count; i++) {
    const at = entries + i * ENTRY_BYTES;
    if (packet.length < at + ENTRY_BYTES) return null;
    const isGroup = (packet.readUInt16BE(at + NAME_BYTES) & GROUP) !== 0;
    if (isGroup || packet.readUInt8(at + NAME_BYTES - 1) !== WORKSTATION) continue;
    const name = packet.toString('latin1', at, at + NAME_BYTES - 1).trimEnd();
    if (name !== '') return name;
  }
  return null;
}
