// Ray casting: the first body or cloth on a ray, in double precision and with the drawn poses.
import type { Header, MeshData, Vec3 } from '../model';
import type { Cloth } from './cloth';
import { ballRadius, isGlass } from './geometry';
import { POSE, type Poses } from './poses';
import { enterBall, meetTriangle } from './rays';

export interface Hit {
  /** A body, or a piece of cloth counted after all bodies. */
  object: number;
  /** In body axes; for cloth in world coordinates. */
  point: Vec3;
  world: Vec3;
}

export class Picker {
  /** The radius of each mesh that is a ball. */
  private readonly balls: (number | null)[];

  private readonly glass: boolean[];

  constructor(private readonly header: Header, private readonly reach: Float64Array) {
    this.balls = header.meshes.map(ballRadius);
    this.glass = header.bodies.map((body) => isGlass(header, body));
  }

  /** The nearest object on the ray; `direction` has length 1. Glass counts only if nothing is behind it. */
  pick(poses: Poses, cloth: Cloth, from: Vec3, direction: Vec3): Hit | null {
    const along = (distance: number): Vec3 => [0, 1, 2].map((i) => from[i] + distance * direction[i]) as Vec3;
    const body = this.nearestOf(poses, from, direction, false);
    const piece = cloth.pick(from, direction);
    if (piece && (!body || piece.distance < body.distance)) {
      const world = along(piece.distance);
      return { object: this.header.bodies.length + piece.piece, point: world, world };
    }
    const met = body ?? this.nearestOf(poses, from, direction, true);
    if (!met) return null;
    const world = along(met.distance);
    return { object: met.body, point: poses.toBody(met.body, world), world };
  }

  /** The nearest glass or solid body on the ray. */
  private nearestOf(poses: Poses, from: Vec3, direction: Vec3, glass: boolean): { body: number; distance: number } | null {
    const q = poses.data, near: [number, number][] = [];
    for (let i = 0, p = 0; i < poses.count; i++, p += POSE) {
      if (!q[p + 7] || this.glass[i] !== glass) continue;
      const entry = enterBall(from, direction, q[p], q[p + 1], q[p + 2], this.reach[i] * 1.0001);
      if (entry !== null) near.push([entry, i]);
    }
    near.sort((a, b) => a[0] - b[0]);
    let best = Infinity, body = -1;
    for (const [entry, i] of near) {
      if (entry > best) break;
      const distance = this.meet(poses, i, from, direction);
      if (distance !== null && distance < best) [best, body] = [distance, i];
    }
    return body < 0 ? null : { body, distance: best };
  }

  /** The body in front of the camera whose centre is nearest to the ray, within this angle in radians. */
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
    return body < 0 ? null : { object: body, point: [0, 0, 0], world: poses.position(body) };
  }

  private meet(poses: Poses, i: number, from: Vec3, direction: Vec3): number | null {
    const { mesh, spheres } = this.header.bodies[i];
    const start = poses.toBody(i, from), along = poses.turnBack(i, direction);
    const data = mesh === null ? undefined : this.header.meshes[mesh];
    if (mesh !== null && data) {
      const radius = this.balls[mesh];
      return radius !== null ? enterBall(start, along, 0, 0, 0, radius) : firstTriangle(data, start, along);
    }
    let best: number | null = null;
    for (const [centre, radius] of spheres) {
      const distance = enterBall(start, along, ...centre, Math.abs(radius));
      if (distance !== null && (best === null || distance < best)) best = distance;
    }
    return best;
  }
}

/** The distance to the nearest triangle along a ray. */
function firstTriangle({ vertices, triangles }: MeshData, from: Vec3, d: Vec3): number | null {
  let best = Infinity;
  for (const [i, j, k] of triangles) {
    const a = vertices[i], b = vertices[j], c = vertices[k];
    best = Math.min(best, meetTriangle(from, d, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]));
  }
  return best < Infinity ? best : null;
}
