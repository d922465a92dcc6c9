// The poses of all bodies at the drawn moment, interpolated between two frames.
import { REMOVED } from '../frame';
import type { Frame, Vec3 } from '../model';
import { Box, isDrawable } from './box';

/** Numbers per body in a frame. */
export const STRIDE = 13;
/** Numbers per body in `Poses.data`: position x y z, orientation w x y z, and 1 if it can be drawn. */
export const POSE = 8;

export class Poses {
  readonly data: Float64Array;
  /** The box around the centres of all bodies that can be drawn. */
  readonly box = new Box();

  constructor(readonly count: number) {
    this.data = new Float64Array(POSE * count);
  }

  /**
   * Linear for positions, spherical for orientations; a body without a valid position keeps its last pose. A body that was
   * removed is not drawn.
   */
  update(a: Frame, b: Frame | null, s: number): void {
    const { data, box } = this;
    const from = a.bodies;
    const to = b ? b.bodies : from;
    const n = Math.min(this.count, from.length / STRIDE, to.length / STRIDE);
    box.clear();
    for (let i = 0, k = 0, p = 0; i < n; i++, k += STRIDE, p += POSE) {
      if (a.status[i] === REMOVED) {
        data[p + 7] = 0;
        continue;
      }
      let x = from[k], y = from[k + 1], z = from[k + 2];
      let w = from[k + 3], i1 = from[k + 4], i2 = from[k + 5], i3 = from[k + 6];
      if (isDrawable(x, y, z) && Number.isFinite(w + i1 + i2 + i3)) {
        const bx = to[k], by = to[k + 1], bz = to[k + 2];
        const bw = to[k + 3], b1 = to[k + 4], b2 = to[k + 5], b3 = to[k + 6];
        if (s > 0 && b?.status[i] !== REMOVED && isDrawable(bx, by, bz) && Number.isFinite(bw + b1 + b2 + b3)) {
          x += s * (bx - x);
          y += s * (by - y);
          z += s * (bz - z);
          const dot = w * bw + i1 * b1 + i2 * b2 + i3 * b3;
          const cos = Math.min(Math.abs(dot), 1);
          let keep = 1 - s, take = s;
          if (cos < 0.9995) {
            const angle = Math.acos(cos), sin = Math.sin(angle);
            keep = Math.sin(keep * angle) / sin;
            take = Math.sin(take * angle) / sin;
          }
          if (dot < 0) take = -take;
          w = keep * w + take * bw;
          i1 = keep * i1 + take * b1;
          i2 = keep * i2 + take * b2;
          i3 = keep * i3 + take * b3;
        }
        const length = Math.sqrt(w * w + i1 * i1 + i2 * i2 + i3 * i3);
        if (length > 1e-9) {
          const scale = 1 / length;
          data[p] = x;
          data[p + 1] = y;
          data[p + 2] = z;
          data[p + 3] = w * scale;
          data[p + 4] = i1 * scale;
          data[p + 5] = i2 * scale;
          data[p + 6] = i3 * scale;
          data[p + 7] = 1;
        }
      }
      if (data[p + 7]) box.add(data[p], data[p + 1], data[p + 2]);
    }
  }

  isShown(body: number): boolean {
    return body >= 0 && body < this.count && this.data[POSE * body + 7] === 1;
  }

  position(body: number): Vec3 {
    const p = POSE * body;
    return [this.data[p], this.data[p + 1], this.data[p + 2]];
  }

  /** Transforms a direction from body axes to world axes. */
  turn(body: number, v: Vec3): Vec3 {
    const p = POSE * body, q = this.data;
    return rotate(q[p + 3], q[p + 4], q[p + 5], q[p + 6], v);
  }

  /** Transforms a direction from world axes to body axes. */
  turnBack(body: number, v: Vec3): Vec3 {
    const p = POSE * body, q = this.data;
    return rotate(q[p + 3], -q[p + 4], -q[p + 5], -q[p + 6], v);
  }

  /** Transforms a point from body axes to world coordinates. */
  toWorld(body: number, point: Vec3): Vec3 {
    const [x, y, z] = this.turn(body, point), p = POSE * body;
    return [x + this.data[p], y + this.data[p + 1], z + this.data[p + 2]];
  }

  /** Transforms a point from world coordinates to body axes. */
  toBody(body: number, [x, y, z]: Vec3): Vec3 {
    const p = POSE * body;
    return this.turnBack(body, [x - this.data[p], y - this.data[p + 1], z - this.data[p + 2]]);
  }
}

function rotate(w: number, i: number, j: number, k: number, [x, y, z]: Vec3): Vec3 {
  const a = 2 * (j * z - k * y), b = 2 * (k * x - i * z), c = 2 * (i * y - j * x);
  return [x + w * a + j * c - k * b, y + w * b + k * a - i * c, z + w * c + i * b - j * a];
}
