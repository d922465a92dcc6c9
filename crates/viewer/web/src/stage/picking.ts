// Which body a ray meets first, computed from the drawn poses in double precision.
import type { Header, MeshData, Vec3 } from '../model';
import { ballRadius } from './geometry';
import { POSE, type Poses } from './poses';

export interface Hit {
  body: number;
  /** In the body's axes. */
  point: Vec3;
  world: Vec3;
}

export class Picker {
  /** The radius of each mesh that is a ball. */
  private readonly balls: (number | null)[];

  constructor(private readonly header: Header, private readonly reach: Float64Array) {
    this.balls = header.meshes.map(ballRadius);
  }

  /** The nearest body on the ray; `direction` has length 1. */
  pick(poses: Poses, from: Vec3, direction: Vec3): Hit | null {
    const q = poses.data, near: [number, number][] = [];
    for (let i = 0, p = 0; i < poses.count; i++, p += POSE) {
      if (!q[p + 7]) continue;
      const entry = enter(from, direction, q[p], q[p + 1], q[p + 2], this.reach[i] * 1.0001);
      if (entry !== null) near.push([entry, i]);
    }
    near.sort((a, b) => a[0] - b[0]);
    let best = Infinity, body = -1;
    for (const [entry, i] of near) {
      if (entry > best) break;
      const distance = this.meet(poses, i, from, direction);
      if (distance !== null && distance < best) [best, body] = [distance, i];
    }
    if (body < 0) return null;
    const world: Vec3 = [from[0] + best * direction[0], from[1] + best * direction[1], from[2] + best * direction[2]];
    return { body, point: poses.toBody(body, world), world };
  }

  /** The body whose centre is nearest to the ray, seen within this angle (in radians) and not behind the viewer. */
  nearest(poses: Poses, from: Vec3, direction: Vec3, angle: number): Hit | null {
    const q = poses.data;
    let best = Math.tan(angle), body = -1;
    for (let i = 0, p = 0; i < poses.count; i++, p += POSE) {
      if (!q[p + 7]) continue;
      const x = q[p] - from[0], y = q[p + 1] - from[1], z = q[p + 2] - from[2];
      const along = x * direction[0] + y * direction[1] + z * direction[2];
      if (along <= 0) continue;
      const off = Math.sqrt(Math.max(x * x + y * y + z * z - along * along, 0)) / along;
      if (off < best) [best, body] = [off, i];
    }
    return body < 0 ? null : { body, point: [0, 0, 0], world: poses.position(body) };
  }

  private meet(poses: Poses, i: number, from: Vec3, direction: Vec3): number | null {
    const { mesh, spheres } = this.header.bodies[i];
    const start = poses.toBody(i, from), along = poses.turnBack(i, direction);
    const data = mesh === null ? undefined : this.header.meshes[mesh];
    if (mesh !== null && data) {
      const radius = this.balls[mesh];
      return radius !== null ? enter(start, along, 0, 0, 0, radius) : firstTriangle(data, start, along);
    }
    let best: number | null = null;
    for (const [centre, radius] of spheres) {
      const distance = enter(start, along, ...centre, Math.abs(radius));
      if (distance !== null && (best === null || distance < best)) best = distance;
    }
    return best;
  }
}

/** How far along a ray it enters a ball (0 if it begins inside); null if it never does. */
function enter(from: Vec3, d: Vec3, x: number, y: number, z: number, radius: number): number | null {
  const ox = x - from[0], oy = y - from[1], oz = z - from[2];
  const middle = ox * d[0] + oy * d[1] + oz * d[2];
  const rest = ox * ox + oy * oy + oz * oz - radius * radius;
  if (rest <= 0) return 0;
  const under = middle * middle - rest;
  return middle > 0 && under >= 0 ? middle - Math.sqrt(under) : null;
}

/** How far along a ray the nearest triangle is (Möller and Trumbore). */
function firstTriangle({ vertices, triangles }: MeshData, from: Vec3, d: Vec3): number | null {
  let best: number | null = null;
  for (const [i, j, k] of triangles) {
    const a = vertices[i], b = vertices[j], c = vertices[k];
    const e0 = b[0] - a[0], e1 = b[1] - a[1], e2 = b[2] - a[2];
    const f0 = c[0] - a[0], f1 = c[1] - a[1], f2 = c[2] - a[2];
    const p0 = d[1] * f2 - d[2] * f1, p1 = d[2] * f0 - d[0] * f2, p2 = d[0] * f1 - d[1] * f0;
    const determinant = e0 * p0 + e1 * p1 + e2 * p2;
    if (determinant === 0) continue;
    const t0 = from[0] - a[0], t1 = from[1] - a[1], t2 = from[2] - a[2];
    const u = (t0 * p0 + t1 * p1 + t2 * p2) / determinant;
    if (u < 0 || u > 1) continue;
    const q0 = t1 * e2 - t2 * e1, q1 = t2 * e0 - t0 * e2, q2 = t0 * e1 - t1 * e0;
    const v = (d[0] * q0 + d[1] * q1 + d[2] * q2) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (f0 * q0 + f1 * q1 + f2 * q2) / determinant;
    if (distance > 0 && (best === null || distance < best)) best = distance;
  }
  return best;
}
