/**
 * Encodes OpenDroneID messages: the inverse of `src/domain/openDroneId.ts`, written from the standard's tables and not from
 * the decoder, so that both are unlikely to share a mistake.
 */
export interface OdidLocation {
  readonly status: number;
  readonly lat: number;
  readonly lon: number;
  readonly speedMps: number;
  readonly vspeedMps: number;
  readonly trackDeg: number;
  readonly altPressureM: number;
  readonly altHaeM: number;
  readonly heightM: number;
  readonly aboveGround: boolean;
  readonly hAcc: number;
  readonly vAcc: number;
  readonly baroAcc: number;
  readonly speedAcc: number;
  readonly tenths: number;
  readonly timeAcc: number;
}

/** A drone in the air; position and speed do not matter. */
export const FLYING: OdidLocation = {
  status: 2,
  lat: 51.4325,
  lon: -1.9875,
  speedMps: 10,
  vspeedMps: 0,
  trackDeg: 90,
  altPressureM: 200,
  altHaeM: 210,
  heightM: 60,
  aboveGround: false,
  hAcc: 10,
  vAcc: 4,
  baroAcc: 4,
  speedAcc: 3,
  tenths: 0xffff,
  timeAcc: 1,
};

function message(kind: number): Buffer {
  const bytes = Buffer.alloc(25);
  bytes[0] = (kind << 4) | 2;
  return bytes;
}

const altitude = (metres: number) => Math.round((metres + 1000) * 2);

export function encodeBasicId(idType: number, uaType: number, id: string): Buffer {
  const bytes = message(0);
  bytes[1] = (idType << 4) | uaType;
  bytes.write(id, 2, 20, "latin1");
  return bytes;
}

export function encodeLocation(l: OdidLocation): Buffer {
  const bytes = message(1);
  const isFast = l.speedMps > 63.75;
  const isWest = l.trackDeg >= 180;
  bytes[1] = (l.status << 4) | (l.aboveGround ? 4 : 0) | (isWest ? 2 : 0) | (isFast ? 1 : 0);
  bytes[2] = Math.round(isWest ? l.trackDeg - 180 : l.trackDeg);
  bytes[3] = Math.round(isFast ? (l.speedMps - 63.75) / 0.75 : l.speedMps / 0.25);
  bytes.writeInt8(Math.round(l.vspeedMps * 2), 4);
  bytes.writeInt32LE(Math.round(l.lat * 1e7), 5);
  bytes.writeInt32LE(Math.round(l.lon * 1e7), 9);
  bytes.writeUInt16LE(altitude(l.altPressureM), 13);
  bytes.writeUInt16LE(altitude(l.altHaeM), 15);
  bytes.writeUInt16LE(altitude(l.heightM), 17);
  bytes[19] = (l.vAcc << 4) | l.hAcc;
  bytes[20] = (l.baroAcc << 4) | l.speedAcc;
  bytes.writeUInt16LE(l.tenths, 21);
  bytes[23] = l.timeAcc;
  return bytes;
}

export function encodeSelfId(kind: number, text: string): Buffer {
  const bytes = message(3);
  bytes[1] = kind;
  bytes.write(text, 2, 23, "latin1");
  return bytes;
}

export function encodeSystem(lat: number, lon: number, altHaeM: number): Buffer {
  const bytes = message(4);
  bytes[1] = (1 << 2) | 1;
  bytes.writeInt32LE(Math.round(lat * 1e7), 2);
  bytes.writeInt32LE(Math.round(lon * 1e7), 6);
  bytes.writeUInt16LE(3, 10);
  bytes[12] = 25;
  bytes.writeUInt16LE(altitude(200), 13);
  bytes.writeUInt16LE(altitude(0), 15);
  bytes[17] = (1 << 4) | 3;
  bytes.writeUInt16LE(altitude(altHaeM), 18);
  bytes.writeUInt32LE(1000, 20);
  return bytes;
}

export function encodeOperatorId(id: string): Buffer {
  const bytes = message(5);
  bytes.write(id, 2, 20, "latin1");
  return bytes;
}

export function encodePack(messages: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0xf2, 25, messages.length]), ...messages]);
}
