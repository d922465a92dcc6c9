// Computations for a moving surface: interpolated vertices, normals and edges.

/** Corners of triangles, three indices each. */
export type Corners = Uint32Array;

/** Interpolates the vertices from `first` on between two frames; invalid coordinates keep their last value. */
export function blend(out: Float32Array, a: ArrayLike<number>, b: ArrayLike<number> | null, s: number, first: number): void {
  const at = 3 * first;
  const moving = b !== null && s > 0 && b.length >= at + out.length;
  for (let i = 0, k = at; i < out.length && k < a.length; i++, k++) {
    const from = a[k];
    const value = moving ? from + s * (b[k] - from) : from;
    if (Number.isFinite(value)) out[i] = value;
  }
}

/** The area-weighted unit normal of each vertex. */
export function smoothNormals(positions: Float32Array, corners: Corners, out: Float32Array): void {
  out.fill(0);
  for (let t = 0; t < corners.length; t += 3) {
    const i = 3 * corners[t], j = 3 * corners[t + 1], k = 3 * corners[t + 2];
    const ax = positions[i], ay = positions[i + 1], az = positions[i + 2];
    const ux = positions[j] - ax, uy = positions[j + 1] - ay, uz = positions[j + 2] - az;
    const vx = positions[k] - ax, vy = positions[k + 1] - ay, vz = positions[k + 2] - az;
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[i] += x;
    out[i + 1] += y;
    out[i + 2] += z;
    out[j] += x;
    out[j + 1] += y;
    out[j + 2] += z;
    out[k] += x;
    out[k + 1] += y;
    out[k + 2] += z;
  }
  for (let i = 0; i < out.length; i += 3) {
    const x = out[i], y = out[i + 1], z = out[i + 2];
    const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    out[i] = x * scale;
    out[i + 1] = y * scale;
    out[i + 2] = z * scale;
  }
}

/** The edges, two indices each: all edges, and the border edges, which belong to one triangle only. */
export function edgesOf(corners: Corners): { all: number[]; border: number[] } {
  const times = new Map<number, number>();
  // A pair of indices below 2²⁶ fits into the 53 bits of a number; no mesh is larger.
  const PAIR = 2 ** 26;
  for (let t = 0; t < corners.length; t += 3) {
    for (let side = 0; side < 3; side++) {
      const i = corners[t + side], j = corners[t + ((side + 1) % 3)];
      const pair = Math.min(i, j) * PAIR + Math.max(i, j);
      times.set(pair, (times.get(pair) ?? 0) + 1);
    }
  }
  const all: number[] = [], border: number[] = [];
  for (const [pair, count] of times) {
    const i = Math.floor(pair / PAIR), j = pair % PAIR;
    all.push(i, j);
    if (count === 1) border.push(i, j);
  }
  return { all, border };
}
