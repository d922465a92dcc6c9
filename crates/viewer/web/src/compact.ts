// Unpacks the compact recording of an HTML file; crates/viewer/src/compact/mod.rs specifies its layout.
import { decodeCloth } from './compact-cloth';
import { BODY, CONTACT } from './frame';
import type { Chart, Frame, Header, Vec3 } from './model';
import type { RunEvent, SeriesInfo } from './source/source';

const TOTALS = 9;

/** A whole recording in memory. */
export interface Compact {
  header: Header;
  title: string | null;
  events: RunEvent[];
  series: SeriesInfo[];
  chart: Chart | null;
  frames: number;
  times: Float64Array;
  /** One array per series. */
  values: Float64Array[];
  /** Cloth is stored for every `clothStride`-th frame. */
  clothStride: number;
  frame(index: number): Frame;
}

interface Text {
  header: Header;
  title: string | null;
  events: RunEvent[];
  series: SeriesInfo[];
  chart?: Chart | null;
}

/** Unpacks the text of a data element. */
export async function unpack(base64: string): Promise<Compact> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('This browser cannot unpack the recording. Please use a newer browser.');
  }
  const packed = fromBase64(base64.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  let buffer: ArrayBuffer;
  try {
    buffer = await new Response(stream).arrayBuffer();
  } catch {
    throw new Error('The recording in this file is damaged. Please copy the file again.');
  }
  return decodeCompact(buffer);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  // In parts of a multiple of four characters, to avoid long intermediate strings.
  const piece = 1 << 20;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let at = 0;
  for (let from = 0; from < text.length; from += piece) {
    const part = atob(text.slice(from, from + piece));
    for (let i = 0; i < part.length; i++) bytes[at++] = part.charCodeAt(i);
  }
  return bytes;
}

/** Decodes the bytes of the layout. */
export function decodeCompact(buffer: ArrayBuffer): Compact {
  const input = new Input(buffer);
  if (input.text(8) !== 'conatus1') {
    throw new Error('The recording in this file was written by another version of Conatus.');
  }
  const [jsonLength, frames, bodies, contacts, lines] = [input.u32(), input.u32(), input.u32(), input.u32(), input.u32()];
  const { header, title, events, series, chart = null } = JSON.parse(input.text(jsonLength)) as Text;

  const times = new Float64Array(input.wide(frames).buffer);
  const steps = input.wide(frames);
  const values: Float64Array[] = [];
  for (let i = 0; i < lines; i++) values.push(new Float64Array(input.wide(frames).buffer));

  const totals = new Float32Array(frames * TOTALS);
  for (let i = 0; i < TOTALS; i++) input.narrow(totals, 1, frames, (_, f) => f * TOTALS + i);
  const poses = new Float32Array(frames * bodies * BODY);
  for (let i = 0; i < BODY; i++) input.narrow(poses, bodies, frames, (b, f) => (f * bodies + b) * BODY + i);
  const counts = input.planes(frames);
  const firstContact = new Uint32Array(frames + 1);
  counts.forEach((count, f) => (firstContact[f + 1] = (firstContact[f] ?? 0) + count));
  const touches = new Float32Array(contacts * CONTACT);
  for (let i = 0; i < CONTACT; i++) input.narrow(touches, 1, contacts, (_, c) => c * CONTACT + i);
  const status = input.bytes(frames * bodies).slice();
  for (let i = bodies; i < status.length; i++) status[i] = (status[i] ?? 0) ^ (status[i - bodies] ?? 0);
  const cloth = decodeCloth(input, header.cloths ?? [], frames);

  const frame = (index: number): Frame => {
    const total = (i: number): number => totals[index * TOTALS + i] ?? NaN;
    const vector = (i: number): Vec3 => [total(i), total(i + 1), total(i + 2)];
    return {
      time: times[index] ?? NaN,
      step: Number(steps[index] ?? 0n),
      kinetic: total(0),
      potential: total(1),
      momentum: vector(2),
      angularMomentum: vector(5),
      penetration: total(8),
      bodies: Float64Array.from(poses.subarray(index * bodies * BODY, (index + 1) * bodies * BODY)),
      contacts: Float64Array.from(
        touches.subarray((firstContact[index] ?? 0) * CONTACT, (firstContact[index + 1] ?? 0) * CONTACT),
      ),
      cloth: cloth.frame(index),
      status: status.subarray(index * bodies, (index + 1) * bodies),
    };
  };
  return { header, title, events, series, chart, frames, times, values, clothStride: cloth.stride, frame };
}

/** Reads the parts of the layout in order. */
class Input {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
  }

  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  bytes(length: number): Uint8Array {
    this.at += length;
    return new Uint8Array(this.buffer, this.at - length, length);
  }

  text(length: number): string {
    return new TextDecoder().decode(this.bytes(length));
  }

  planes(count: number): Uint32Array {
    const bytes = this.bytes(4 * count);
    const values = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      values[i] =
        ((bytes[i] ?? 0) << 24) |
        ((bytes[count + i] ?? 0) << 16) |
        ((bytes[2 * count + i] ?? 0) << 8) |
        (bytes[3 * count + i] ?? 0);
    }
    return values;
  }

  wide(count: number): BigUint64Array {
    const high = this.planes(count);
    const low = this.planes(count);
    const values = new BigUint64Array(count);
    let last = 0n;
    let step = 0n;
    for (let i = 0; i < count; i++) {
      const coded = (BigInt(high[i] ?? 0) << 32n) | BigInt(low[i] ?? 0);
      step = BigInt.asUintN(64, step + ((coded >> 1n) ^ -(coded & 1n)));
      last = BigInt.asUintN(64, last + step);
      values[i] = last;
    }
    return values;
  }

  /** Decodes `tracks` of `length` values each into `into`, at the indices that `place` returns. */
  narrow(into: Float32Array, tracks: number, length: number, place: (track: number, i: number) => number): void {
    const order = this.bytes(1)[0] ?? 0;
    const coded = this.planes(tracks * length);
    const float = new Float32Array(1);
    const bits = new Int32Array(float.buffer);
    for (let track = 0; track < tracks; track++) {
      // The last three values, the latest first.
      let a = 0;
      let b = 0;
      let c = 0;
      for (let i = 0; i < length; i++) {
        const known = Math.min(order, i);
        let guess = 0;
        if (known === 1) guess = a;
        else if (known === 2) guess = Math.fround(2 * a - b);
        else if (known === 3) guess = Math.fround(3 * (a - b) + c);
        float[0] = Number.isFinite(guess) ? guess : 0;
        const zigzag = coded[track * length + i]!;
        const ranked = (rank(bits[0]!) + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
        // The rank function is its own inverse.
        bits[0] = rank(ranked);
        c = b;
        b = a;
        a = float[0];
        into[place(track, i)] = a;
      }
    }
  }
}

/** Maps the bits of an f32 to an integer of the same order. */
function rank(bits: number): number {
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
