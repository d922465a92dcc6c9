// Drawable surfaces of the meshes of a recording.
import { BufferAttribute, BufferGeometry, IcosahedronGeometry } from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { BodyInfo, Header, MeshData, Vec3 } from '../model';
import type { Quality } from './quality';
import { edgesOf } from './sheet';

/** Edges sharper than this stay sharp, in radians. */
const CREASE_ANGLE_RAD = Math.PI / 6;
/** Faces smaller than this share of the surface are patterned; larger faces can be told apart without a pattern. */
const PATTERNED_FACE_SHARE = 1 / 64;

const open = new WeakMap<MeshData, boolean>();

/** Whether the surface has a border, like a funnel or a bowl, and encloses nothing. */
export function isOpen(mesh: MeshData): boolean {
  let known = open.get(mesh);
  if (known === undefined) {
    known = edgesOf(Uint32Array.from(welded(mesh).triangles.flat())).border.length > 0;
    open.set(mesh, known);
  }
  return known;
}

/** Open obstacles are drawn like glass, so that their inside is visible. */
export function isGlass(header: Header, { scripted, mesh }: BodyInfo): boolean {
  const data = scripted === true && mesh !== null ? header.meshes[mesh] : undefined;
  return data !== undefined && isOpen(data);
}

/** The radius if all vertices are on a sphere about the centre of mass; otherwise null. */
export function ballRadius(mesh: MeshData): number | null {
  if (mesh.vertices.length < 12) return null;
  let least = Infinity, most = 0;
  for (const v of mesh.vertices) {
    const length = Math.hypot(...v);
    least = Math.min(least, length);
    most = Math.max(most, length);
  }
  return least > 0.999 * most && !isOpen(mesh) ? most : null;
}

/** A surface with smooth normals across edges of less than 30°; for balls with exact normals. */
export function surface(mesh: MeshData): BufferGeometry {
  if (ballRadius(mesh) === null) return creased(welded(mesh));
  return patterned(finished(mesh.vertices.flat(), mesh.vertices.flatMap(unit), mesh.triangles.flat()));
}

function creased(mesh: MeshData): BufferGeometry {
  const { vertices, triangles } = mesh;
  const faces = faceNormals(mesh);
  const around = facesAround(mesh);
  const crease = Math.cos(CREASE_ANGLE_RAD);
  const positions: number[] = [], normals: number[] = [], index: number[] = [], pattern: number[] = [];
  let whole = 0;
  for (let f = 0; f < faces.length; f += 3) whole += Math.hypot(faces[f], faces[f + 1], faces[f + 2]);
  // Copies of each vertex made so far, one per normal and pattern.
  const copies: number[][] = vertices.map(() => []);
  triangles.forEach((triangle, f) => {
    const ox = faces[3 * f], oy = faces[3 * f + 1], oz = faces[3 * f + 2];
    const own = Math.hypot(ox, oy, oz);
    const patterned = own < PATTERNED_FACE_SHARE * whole ? 1 : 0;
    for (const v of triangle) {
      const sum: Vec3 = [0, 0, 0];
      for (let i = around.start[v]; i < around.start[v + 1]; i++) {
        const g = 3 * around.faces[i];
        const gx = faces[g], gy = faces[g + 1], gz = faces[g + 2];
        if (gx * ox + gy * oy + gz * oz < crease * own * Math.hypot(gx, gy, gz)) continue;
        sum[0] += gx;
        sum[1] += gy;
        sum[2] += gz;
      }
      const [x, y, z] = unit(sum);
      const alike = (c: number) => pattern[c] === patterned && normals[3 * c] * x + normals[3 * c + 1] * y + normals[3 * c + 2] * z > 0.99999;
      let copy = copies[v].find(alike);
      if (copy === undefined) {
        copy = positions.length / 3;
        copies[v].push(copy);
        positions.push(...vertices[v]);
        normals.push(x, y, z);
        pattern.push(patterned);
      }
      index.push(copy);
    }
  });
  return patterned(finished(positions, normals, index), pattern);
}

/** The surface with one normal per vertex, for closed outlines. */
export function hull(loose: MeshData): BufferGeometry {
  const mesh = welded(loose);
  const { vertices, triangles } = mesh;
  const faces = faceNormals(mesh);
  const around = facesAround(mesh);
  const normals: number[] = [];
  for (let v = 0; v < vertices.length; v++) {
    let x = 0, y = 0, z = 0;
    for (let i = around.start[v]; i < around.start[v + 1]; i++) {
      const g = 3 * around.faces[i];
      // Coplanar triangles count once: the diagonal of the side of a box must not change the normal of its corner.
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
    normals.push(...unit([x, y, z]));
  }
  return finished(vertices.flat(), normals, triangles.flat());
}

/** A ball of radius 1; many instances get a coarser mesh. */
export function unitBall(instances: number, quality: Quality): BufferGeometry {
  const detail = instances <= 64 ? 12 : quality === 'plain' ? 3 : instances <= 600 ? 7 : instances <= 3000 ? 5 : 3;
  const loose = new IcosahedronGeometry(1, detail);
  loose.deleteAttribute('uv');
  const ball = mergeVertices(loose, 1e-5);
  loose.dispose();
  return patterned(ball);
}

/** Sets which vertices are patterned; by default all. */
function patterned(geometry: BufferGeometry, pattern?: number[]): BufferGeometry {
  const values = pattern ?? new Array<number>(geometry.getAttribute('position').count).fill(1);
  return geometry.setAttribute('pattern', new BufferAttribute(new Float32Array(values), 1));
}

/** The mesh with coincident vertices merged. */
function welded({ vertices, triangles }: MeshData): MeshData {
  const places = new Map<string, number>();
  const kept: Vec3[] = [];
  const place = vertices.map((v) => {
    const key = v.join();
    let index = places.get(key);
    if (index === undefined) {
      places.set(key, (index = kept.length));
      kept.push(v);
    }
    return index;
  });
  return { vertices: kept, triangles: triangles.map(([i, j, k]) => [place[i], place[j], place[k]]) };
}

function finished(positions: number[], normals: number[], index: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  return geometry;
}

function unit([x, y, z]: Vec3): Vec3 {
  const scale = 1 / (Math.hypot(x, y, z) || 1);
  return [x * scale, y * scale, z * scale];
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
