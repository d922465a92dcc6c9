// Line drawings of the shapes that collide.
import { BufferAttribute, BufferGeometry, EdgesGeometry } from 'three';
import type { MeshData, ShapeInfo, Vec3 } from '../model';
import { arc, circle, type Segments } from './wires';

/** Edges of hulls between faces at a smaller angle are left out, in degrees. */
const FLAT_EDGE_DEG = 1;
/** Lines along the side of a cylinder or cone. */
const SIDE_LINES = 8;
/** Lines of the grid of a plane, in each direction. */
const GRID_LINES = 12;

/**
 * The lines of a shape in its own axes. A plane is drawn about `middle`, with the size `span`.
 */
export function linesOf(shape: ShapeInfo, meshes: MeshData[], middle: Vec3, span: number): Segments {
  const out: Segments = [];
  switch (shape.kind) {
    case 'sphere':
      return ball(out, [shape.radius, shape.radius, shape.radius]);
    case 'ellipsoid':
      return ball(out, shape.semi_axes);
    case 'box':
      return block(out, shape.half_extents);
    case 'capsule': {
      const { radius: r, half_height: h } = shape;
      for (const z of [-h, h]) circle(out, [0, 0, z], [r, 0, 0], [0, r, 0]);
      for (const side of [[r, 0, 0], [0, r, 0]] as Vec3[]) {
        arc(out, [0, 0, h], side, [0, 0, r], 0, Math.PI);
        arc(out, [0, 0, -h], side, [0, 0, -r], 0, Math.PI);
      }
      return sides(out, r, r, h, 4);
    }
    case 'cylinder': {
      const { radius: r, half_height: h } = shape;
      for (const z of [-h, h]) circle(out, [0, 0, z], [r, 0, 0], [0, r, 0]);
      return sides(out, r, r, h, SIDE_LINES);
    }
    case 'cone': {
      const { radius: r, half_height: h } = shape;
      circle(out, [0, 0, -h], [r, 0, 0], [0, r, 0]);
      return sides(out, r, 0, h, SIDE_LINES);
    }
    case 'plane':
      return grid(out, middle, span);
    case 'hull':
    case 'mesh': {
      const mesh = meshes[shape.mesh];
      return mesh === undefined ? out : edges(out, mesh, shape.kind === 'hull' ? FLAT_EDGE_DEG : 0);
    }
  }
}

function ball(out: Segments, [x, y, z]: Vec3): Segments {
  circle(out, [0, 0, 0], [x, 0, 0], [0, y, 0]);
  circle(out, [0, 0, 0], [0, y, 0], [0, 0, z]);
  circle(out, [0, 0, 0], [0, 0, z], [x, 0, 0]);
  return out;
}

/** The twelve edges of a block. */
export function block(out: Segments, [x, y, z]: Vec3): Segments {
  for (const a of [-1, 1]) {
    for (const b of [-1, 1]) {
      out.push([-x, a * y, b * z], [x, a * y, b * z]);
      out.push([a * x, -y, b * z], [a * x, y, b * z]);
      out.push([a * x, b * y, -z], [a * x, b * y, z]);
    }
  }
  return out;
}

/** Straight lines between a lower and an upper circle. */
function sides(out: Segments, low: number, high: number, h: number, count: number): Segments {
  for (let k = 0; k < count; k++) {
    const c = Math.cos((2 * Math.PI * k) / count), s = Math.sin((2 * Math.PI * k) / count);
    out.push([low * c, low * s, -h], [high * c, high * s, h]);
  }
  return out;
}

function grid(out: Segments, [x, y]: Vec3, span: number): Segments {
  const cell = niceStep((2 * span) / GRID_LINES);
  const from = (v: number): number => cell * Math.floor((v - span) / cell), to = (v: number): number => cell * Math.ceil((v + span) / cell);
  for (let u = from(x); u <= to(x) + 0.5 * cell; u += cell) out.push([u, from(y), 0], [u, to(y), 0]);
  for (let v = from(y); v <= to(y) + 0.5 * cell; v += cell) out.push([from(x), v, 0], [to(x), v, 0]);
  // The side where bodies are.
  out.push([x, y, 0], [x, y, 2 * cell]);
  return out;
}

/** The edges of a mesh between faces that are not in a plane; all edges for an angle of 0. */
function edges(out: Segments, { vertices, triangles }: MeshData, angle: number): Segments {
  const surface = new BufferGeometry();
  surface.setAttribute('position', new BufferAttribute(Float32Array.from(vertices.flat()), 3));
  surface.setIndex(triangles.flat());
  // Without a threshold even the diagonals of flat faces are drawn: they are what collides.
  const lines = new EdgesGeometry(surface, angle > 0 ? angle : -1);
  const at = lines.getAttribute('position');
  for (let i = 0; i < at.count; i++) out.push([at.getX(i), at.getY(i), at.getZ(i)]);
  surface.dispose();
  lines.dispose();
  return out;
}

/** The largest of 1, 2 and 5 times a power of ten that is not above a number. */
export function niceStep(v: number): number {
  if (!(v > 0) || !Number.isFinite(v)) return 1;
  const power = 10 ** Math.floor(Math.log10(v) + 1e-9);
  const rest = v / power;
  return power * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}
