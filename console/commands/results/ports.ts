/** @param ports in the syntax of nmap: `22,80-90` */
export function countOfPorts(ports: string): number {
  return ports
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [from = 0, to = from]) => sum + (to >= from ? to - from + 1 : 0), 0);
}
