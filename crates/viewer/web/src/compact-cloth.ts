// Unpacks the cloth of a compact recording; crates/viewer/src/compact/mod.rs specifies its layout.
import type { ClothInfo } from './model';

const AXES = 3;
/** The largest quantised coordinate. */
const MAX_QUANTISED = 65535;

/** Reads the layout from its current position. */
export interface Bytes {
  u32(): number;
  bytes(length: number): Uint8Array;
}

export interface CompactCloth {
  /** Cloth is stored for every `stride`-th frame, and for the last. */
  stride: number;
  /** The vertices of all pieces at a frame. */
  frame(index: number): Float32Array;
}

interface Piece {
  vertices: number;
  least: number[];
  scale: number[];
  /** For each frame and axis the quantised coordinates of all vertices. */
  places: Uint16Array;
}

export function decodeCloth(input: Bytes, cloths: readonly ClothInfo[], frames: number): CompactCloth {
  if (cloths.length === 0) return { stride: 1, frame: () => new Float32Array(0) };
  const stride = Math.max(input.u32(), 1);
  const kept = frames === 0 ? 0 : Math.ceil((frames - 1) / stride) + 1;
  const pieces = cloths.map((info) => decodePiece(input, info, kept));
  const vertices = pieces.reduce((sum, piece) => sum + piece.vertices, 0);
  const frame = (index: number): Float32Array => {
    const out = new Float32Array(AXES * vertices);
    const before = Math.min(Math.floor(index / stride), kept - 1);
    const [from, to] = [before * stride, Math.min((before + 1) * stride, frames - 1)];
    const s = to > from ? (index - from) / (to - from) : 0;
    let at = 0;
    for (const piece of pieces) {
      place(piece, before, s, out, at);
      at += AXES * piece.vertices;
    }
    return out;
  };
  return { stride, frame };
}

function decodePiece(input: Bytes, info: ClothInfo, kept: number): Piece {
  const { vertices } = info;
  const corners = input.bytes(8 * 2 * AXES);
  const view = new DataView(corners.buffer, corners.byteOffset, corners.byteLength);
  const least = [0, 1, 2].map((axis) => view.getFloat64(8 * axis, true));
  const scale = least.map((low, axis) => (view.getFloat64(8 * (AXES + axis), true) - low) / MAX_QUANTISED);
  const modes = input.bytes(AXES * kept);
  const high = input.bytes(AXES * kept * vertices);
  const low = input.bytes(AXES * kept * vertices);
  const places = new Uint16Array(AXES * kept * vertices);
  const lower = lowerNeighbours(info);
  const off = new Int32Array(vertices);
  const back = AXES * vertices;
  for (let row = 0; row < AXES * kept; row++) {
    const mode = modes[row]!;
    const order = Math.min(mode & 3, Math.floor(row / AXES));
    const together = (mode & 4) !== 0;
    for (let v = 0, at = row * vertices; v < vertices; v++, at++) {
      let guess = 0;
      if (order === 1) guess = places[at - back]!;
      else if (order === 2) guess = 2 * places[at - back]! - places[at - 2 * back]!;
      else if (order === 3) guess = 3 * (places[at - back]! - places[at - 2 * back]!) + places[at - 3 * back]!;
      let mean = 0;
      if (together) {
        const [begin, end] = [lower.start[v]!, lower.start[v + 1]!];
        for (let i = begin; i < end; i++) mean += off[lower.list[i]!]!;
        if (end > begin) mean = Math.trunc(mean / (end - begin));
      }
      const zigzag = (high[at]! << 8) | low[at]!;
      // A 16-bit array stores the sum modulo 2¹⁶.
      places[at] = guess + mean + ((zigzag >>> 1) ^ -(zigzag & 1));
      off[v] = places[at]! - guess;
    }
  }
  return { vertices, least, scale, places };
}

/** For each vertex, its edge neighbours with a lower index: `list[start[v] .. start[v + 1]]`. */
function lowerNeighbours({ vertices, triangles }: ClothInfo): { start: Uint32Array; list: Uint32Array } {
  const sets: Set<number>[] = Array.from({ length: vertices }, () => new Set());
  const edge = (i: number, j: number): void => {
    if (i !== j) sets[Math.max(i, j)]!.add(Math.min(i, j));
  };
  for (const [i, j, k] of triangles) {
    edge(i, j);
    edge(j, k);
    edge(k, i);
  }
  const start = new Uint32Array(vertices + 1);
  sets.forEach((set, v) => (start[v + 1] = start[v]! + set.size));
  const list = new Uint32Array(start[vertices]!);
  sets.forEach((set, v) => list.set([...set], start[v]));
  return { start, list };
}

/** Writes the vertices at `s` between a stored frame and the next. */
function place({ vertices, least, scale, places }: Piece, frame: number, s: number, out: Float32Array, at: number): void {
  const next = s > 0 ? AXES * vertices : 0;
  for (let axis = 0; axis < AXES; axis++) {
    const [low, step] = [least[axis]!, scale[axis]!];
    let from = (AXES * frame + axis) * vertices;
    for (let v = 0, to = at + axis; v < vertices; v++, from++, to += AXES) {
      const here = places[from]!;
      out[to] = low + step * (here + s * (places[from + next]! - here));
    }
  }
}
