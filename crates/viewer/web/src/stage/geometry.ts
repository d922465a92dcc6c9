// Surfaces for the graphics card, made from the recording's meshes.
import { BufferAttribute, BufferGeometry, IcosahedronGeometry } from 'three';
import type { MeshData } from '../model';

/** Edges sharper than this stay sharp, in radians. */
const CREASE = Math.PI / 6;

/** If all vertices lie on a ball about the centre of mass: its radius. */
export function ballRadius(mesh: MeshData): number | null {
  if (mesh.vertices.length < 12) return null;
  let least = Infinity, most = 0;
  for (const v of mesh.vertices) {
    const length = Math.hypot(...v);
    least = Math.min(least, length);
    most = Math.max(most, length);
  }
  return least > 0.999 * most ? most : null;
}

/** Triangles with normals that are rounded across edges of less than 30°; of balls with the ball's own normals. */
export function surface(mesh: MeshData): BufferGeometry {
  const { vertices, triangles } = mesh;
  const round = ballRadius(mesh) !== null;
  const faces = faceNormals(mesh);
  const around = facesAround(mesh);
  const positions = new Float32Array(9 * triangles.length);
  const normals = new Float32Array(9 * triangles.length);
  const crease = Math.cos(CREASE);
  for (let f = 0; f < triangles.length; f++) {
    const ox = faces[3 * f], oy = faces[3 * f + 1], oz = faces[3 * f + 2];
    const own = Math.hypot(ox, oy, oz);
    for (let corner = 0; corner < 3; corner++) {
      const v = triangles[f][corner], at = 9 * f + 3 * corner;
      let [x, y, z] = vertices[v];
      positions.set(vertices[v], at);
      if (!round) {
        x = y = z = 0;
        for (let i = around.start[v]; i < around.start[v + 1]; i++) {
          const g = 3 * around.faces[i];
          const gx = faces[g], gy = faces[g + 1], gz = faces[g + 2];
          if (gx * ox + gy * oy + gz * oz >= crease * own * Math.hypot(gx, gy, gz)) {
            x += gx;
            y += gy;
            z += gz;
          }
        }
      }
      const scale = 1 / (Math.hypot(x, y, z) || 1);
      normals[at] = x * scale;
      normals[at + 1] = y * scale;
      normals[at + 2] = z * scale;
    }
  }
  return triangleSoup(positions, normals);
}

/** The same surface with one normal per vertex, for outlines that do not tear at edges. */
export function hull(mesh: MeshData): BufferGeometry {
  const { vertices, triangles } = mesh;
  const faces = faceNormals(mesh);
  const around = facesAround(mesh);
  const normals = new Float32Array(3 * vertices.length);
  for (let v = 0; v < vertices.length; v++) {
    let x = 0, y = 0, z = 0;
    for (let i = around.start[v]; i < around.start[v + 1]; i++) {
      const g = 3 * around.faces[i];
      // Each side counts once, however many triangles it has: the diagonal of a box's side must not bend the corner.
      const scale = 1 / (Math.hypot(faces[g], faces[g + 1], faces[g + 2]) || 1);
      const nx = faces[g] * scale, ny = faces[g + 1] * scale, nz = faces[g + 2] * scale;
      let known = false;
      for (let j = around.start[v]; j < i && !known; j++) {
        const h = 3 * around.faces[j];
        const dot = nx * faces[h] + ny * faces[h + 1] + nz * faces[h + 2];
        known = dot > 0.9999 * Math.hypot(faces[h], faces[h + 1], faces[h + 2]);
      }
      if (known) continue;
      x += nx;
      y += ny;
      z += nz;
    }
    const scale = 1 / (Math.hypot(x, y, z) || 1);
    normals.set([x * scale, y * scale, z * scale], 3 * v);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(vertices.flat()), 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(triangles.flat());
  return geometry;
}

/** A ball of radius 1, as fine as its number on the screen allows. */
export function unitBall(instances: number): BufferGeometry {
  const detail = instances <= 64 ? 15 : instances <= 600 ? 9 : instances <= 3000 ? 6 : 3;
  const ball = new IcosahedronGeometry(1, detail);
  ball.deleteAttribute('uv');
  return ball;
}

function triangleSoup(positions: Float32Array, normals: Float32Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  return geometry;
}

/** The normal of each triangle, as long as twice its area. */
function faceNormals({ vertices, triangles }: MeshData): Float64Array {
  const normals = new Float64Array(3 * triangles.length);
  triangles.forEach(([i, j, k], f) => {
    const a = vertices[i], b = vertices[j], c = vertices[k];
    const ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    const vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    normals.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], 3 * f);
  });
  return normals;
}

/** Which triangles meet at each vertex: those of vertex v are `faces[start[v] .. start[v + 1]]`. */
function facesAround({ vertices, triangles }: MeshData): { start: Uint32Array; faces: Uint32Array } {
  const start = new Uint32Array(vertices.length + 1);
  for (const triangle of triangles) for (const v of triangle) start[v + 1]++;
  for (let v = 0; v < vertices.length; v++) start[v + 1] += start[v];
  const next = start.slice();
  const faces = new Uint32Array(3 * triangles.length);
  triangles.forEach((triangle, f) => {
    for (const v of triangle) faces[next[v]++] = f;
  });
  return { start, faces };
}
