/** A node status with a workgroup, a service and the name, as Samba gives them. */
export function nodeStatus(request: Buffer, name: string): Buffer {
  const entry = (text: string, suffix: number, flags: number) =>
    Buffer.concat([Buffer.from(text.padEnd(15)), Buffer.from([suffix, flags, 0])]);
  const names = [entry('WORKGROUP', 0x00, 0x84), entry(name, 0x20, 0x04), entry(name, 0x00, 0x04)];
  const header = Buffer.from([...request.subarray(0, 2), 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  const data = Buffer.concat([Buffer.from([names.length]), ...names, Buffer.alloc(46)]);
  const record = Buffer.from([0, 0x21, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([header, request.subarray(12, 46), record, data]);
}
