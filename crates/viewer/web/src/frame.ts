// Decodes frames without copying their bytes, and reads single bodies.
import type { BodyInfo, Frame, Vec3 } from './model';

const HEAD = 96;
/** Numbers per body and per contact. */
export const BODY = 13;
export const CONTACT = 7;
/** Numbers per vertex of cloth. */
export const VERTEX = 3;

export const QUARANTINED = 3;
/** The body is not in the world. */
export const REMOVED = 5;
/** The body is at rest until something wakes it. */
export const ASLEEP = 6;
const STATUS = ['free', 'locked', 'merged into another', 'quarantined', 'scripted', 'removed', 'asleep'];

/**
 * Decodes the frame from `offset`, a multiple of eight, to the end of the buffer; `vertices` is the number of vertices of
 * the cloth.
 */
export function decodeFrame(buffer: ArrayBuffer, offset: number, vertices: number): Frame {
  const view = new DataView(buffer, offset);
  if (view.byteLength < HEAD) throw new Error('A frame is too short.');
  const number = (at: number): number => view.getFloat64(at, true);
  const vector = (at: number): Vec3 => [number(at), number(at + 8), number(at + 16)];
  const bodies = view.getUint32(88, true);
  const contacts = view.getUint32(92, true);
  if (view.byteLength !== HEAD + bodies * (8 * BODY + 1) + contacts * 8 * CONTACT + vertices * 8 * VERTEX) {
    throw new Error('A frame has the wrong length.');
  }
  const contactsAt = offset + HEAD + bodies * 8 * BODY;
  const clothAt = contactsAt + contacts * 8 * CONTACT;
  return {
    time: number(0),
    step: Number(view.getBigUint64(8, true)),
    kinetic: number(16),
    potential: number(24),
    momentum: vector(32),
    angularMomentum: vector(56),
    penetration: number(80),
    bodies: new Float64Array(buffer, offset + HEAD, bodies * BODY),
    contacts: new Float64Array(buffer, contactsAt, contacts * CONTACT),
    cloth: new Float64Array(buffer, clothAt, vertices * VERTEX),
    status: new Uint8Array(buffer, clothAt + vertices * 8 * VERTEX, bodies),
  };
}

/** An estimate of the memory of a frame. */
export function frameBytes(frame: Frame): number {
  const { bodies, contacts, cloth, status } = frame;
  return 400 + bodies.byteLength + contacts.byteLength + cloth.byteLength + status.byteLength;
}

/** The state of a body between two frames. */
export interface BodyState {
  position: Vec3;
  speed: number;
  angularSpeed: number;
  energy: number;
  status: string;
  quarantined: boolean;
}

/** Three numbers of `bodies` or of `cloth` from index i on, interpolated between two frames. */
function between(of: 'bodies' | 'cloth', i: number, a: Frame, b: Frame | null, s: number): Vec3 {
  const value = (k: number): number => {
    const from = a[of][k] ?? NaN;
    return b === null ? from : from + s * ((b[of][k] ?? NaN) - from);
  };
  return [value(i), value(i + 1), value(i + 2)];
}

/** The position of a body between two frames. */
export function bodyPosition(body: number, a: Frame, b: Frame | null, s: number): Vec3 {
  return between('bodies', body * BODY, a, b, s);
}

/** The position of a vertex of cloth between two frames, counted over all pieces. */
export function vertexPosition(vertex: number, a: Frame, b: Frame | null, s: number): Vec3 {
  return between('cloth', vertex * VERTEX, a, b, s);
}

export function bodyState(info: BodyInfo, body: number, a: Frame, b: Frame | null, s: number): BodyState {
  const at = body * BODY;
  const velocity = between('bodies', at + 7, a, b, s);
  const omega = between('bodies', at + 10, a, b, s);
  const spin = omega.reduce((sum, w, i) => sum + (info.moments[i] ?? 0) * w * w, 0);
  const speed = Math.hypot(...velocity);
  const status = a.status[body] ?? 0;
  return {
    position: bodyPosition(body, a, b, s),
    speed,
    angularSpeed: Math.hypot(...omega),
    energy: (info.mass * speed * speed + spin) / 2,
    status: STATUS[status] ?? 'unknown',
    quarantined: status === QUARANTINED,
  };
}

/** The quarantined bodies of a frame. */
export function quarantinedIn(frame: Frame): number[] {
  const found: number[] = [];
  frame.status.forEach((status, body) => {
    if (status === QUARANTINED) found.push(body);
  });
  return found;
}
