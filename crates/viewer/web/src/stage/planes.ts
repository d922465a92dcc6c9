// Walls, which turn transparent in front of the scene, and slopes.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, Group, Mesh, ShaderMaterial, UniformsLib, UniformsUtils } from 'three';
import type { Header, PlaneInfo, Vec3 } from '../model';
import { type Box } from './box';
import { upAxis } from './extent';
import { SOFT_SHADOW } from './materials';
import type { Look } from './theme';

export class Planes {
  readonly group = new Group();
  private readonly materials: ShaderMaterial[] = [];

  constructor(header: Header, room: Box) {
    const up = upAxis(header);
    for (const plane of header.planes) {
      if (plane.normal[up] > 0.9999) continue;
      const corners = cut(plane, room);
      if (corners.length < 3) continue;
      const slope = plane.normal[up] > 0.15;
      const material = paneMaterial(slope);
      const mesh = new Mesh(pane(corners, plane.normal), material);
      mesh.receiveShadow = slope;
      mesh.renderOrder = slope ? -9 : -8;
      this.materials.push(material);
      this.group.add(mesh);
    }
  }

  setLook(look: Look): void {
    for (const { uniforms } of this.materials) {
      uniforms.wall.value.set(look.wall);
      uniforms.strength.value = look.wallStrength;
      uniforms.ground.value.set(look.ground);
      uniforms.shaded.value.set(look.shaded);
    }
  }

  dispose(): void {
    for (const mesh of this.group.children) if (mesh instanceof Mesh) mesh.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

/** The corners of a plane clipped to a box, in order around the normal. */
function cut({ point, normal }: PlaneInfo, box: Box): Vec3[] {
  const size = box.diagonal() * 4 + 1;
  const centre = box.centre();
  const off = dot(sub(centre, point), normal);
  const middle: Vec3 = [centre[0] - off * normal[0], centre[1] - off * normal[1], centre[2] - off * normal[2]];
  const u = unit(cross(normal, Math.abs(normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const v = cross(normal, u);
  let polygon: Vec3[] = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => [
    middle[0] + size * (a * u[0] + b * v[0]),
    middle[1] + size * (a * u[1] + b * v[1]),
    middle[2] + size * (a * u[2] + b * v[2]),
  ]);
  // The tolerance keeps planes that coincide with a side of the box.
  const slack = 1e-6 * size;
  for (let axis = 0; axis < 3; axis++) {
    polygon = clip(polygon, (p) => p[axis] - box.lo[axis] + slack);
    polygon = clip(polygon, (p) => box.hi[axis] - p[axis] + slack);
  }
  return polygon;
}

/** Clips a polygon to the half space where a linear function is not negative. */
function clip(polygon: Vec3[], inside: (p: Vec3) => number): Vec3[] {
  const kept: Vec3[] = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const a = inside(p), b = inside(q);
    if (a >= 0) kept.push(p);
    if (a >= 0 !== b >= 0) {
      const s = a / (a - b);
      kept.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2])]);
    }
  });
  return kept;
}

/** A triangle fan about the centre, with the distance from the outer edge for the outline. */
function pane(corners: Vec3[], normal: Vec3): BufferGeometry {
  const middle: Vec3 = [0, 0, 0];
  for (const c of corners) for (let axis = 0; axis < 3; axis++) middle[axis] += c[axis] / corners.length;
  const positions: number[] = [], edges: number[] = [], normals: number[] = [];
  corners.forEach((a, i) => {
    const b = corners[(i + 1) % corners.length];
    const along = unit(sub(b, a));
    const out = sub(middle, a);
    const far = Math.sqrt(Math.max(dot(out, out) - dot(out, along) ** 2, 0));
    positions.push(...middle, ...a, ...b);
    edges.push(far, 0, 0);
    normals.push(...normal, ...normal, ...normal);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute('edge', new BufferAttribute(new Float32Array(edges), 1));
  return geometry;
}

function paneMaterial(slope: boolean): ShaderMaterial {
  return new ShaderMaterial({
    name: slope ? 'slope' : 'pane',
    lights: true,
    transparent: true,
    depthWrite: slope,
    side: slope ? FrontSide : DoubleSide,
    forceSinglePass: true,
    toneMapped: false,
    defines: slope ? { SLOPE: '' } : {},
    uniforms: UniformsUtils.merge([
      UniformsLib.lights,
      { wall: { value: new Color() }, ground: { value: new Color() }, strength: { value: 0.1 }, shaded: { value: new Color() } },
    ]),
    vertexShader: `
      #include <common>
      #include <shadowmap_pars_vertex>
      attribute float edge;
      varying float vEdge;
      varying vec3 vNormal, vEye;
      void main() {
        #include <beginnormal_vertex>
        #include <defaultnormal_vertex>
        #include <begin_vertex>
        #include <project_vertex>
        vec4 worldPosition = modelMatrix * vec4(transformed, 1.0);
        vEdge = edge;
        vNormal = transformedNormal;
        vEye = -mvPosition.xyz;
        #include <shadowmap_vertex>
      }`,
    fragmentShader: `
      #include <common>
      #include <bsdfs>
      #include <lights_pars_begin>
      #include <shadowmap_pars_fragment>
      uniform vec3 wall, ground, shaded;
      uniform float strength;
      varying float vEdge;
      varying vec3 vNormal, vEye;
      ${SOFT_SHADOW}
      void main() {
        float outline = 1.0 - smoothstep(0.6, 1.8, vEdge / max(fwidth(vEdge), 1e-9));
        #ifdef SLOPE
          vec3 color = mix(mix(mix(shaded, ground, softShadow()), wall, 0.22), wall, 0.7 * outline);
          gl_FragColor = vec4(color, 1.0);
        #else
          // A wall in front of the scene keeps only a faint outline.
          float facing = smoothstep(0.0, 0.3, dot(normalize(vNormal), normalize(vEye)));
          gl_FragColor = vec4(wall, max(facing * mix(strength, 0.5, outline), 0.28 * outline));
        #endif
        #include <colorspace_fragment>
      }`,
  });
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function sub(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: Vec3): Vec3 {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}
