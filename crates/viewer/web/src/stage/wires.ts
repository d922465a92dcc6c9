// Line drawings of constant width in pixels, drawn as instances; hidden parts are drawn faintly.
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, GreaterDepth, Group, InstancedBufferAttribute, InstancedBufferGeometry,
  LessEqualDepth, Mesh, ShaderMaterial, type IUniform, type Vector2,
} from 'three';
import type { Vec3 } from '../model';

/** The ends of line segments, one after the other. */
export type Segments = Vec3[];

/** The width of all lines, in CSS pixels. */
const WIDTH_PX = 1.7;

/** Many copies of one line drawing. */
export class Wires {
  readonly group = new Group();
  private readonly geometry = new InstancedBufferGeometry();
  private readonly materials: ShaderMaterial[];
  private readonly place: Float32Array;
  private readonly turn: Float32Array;
  private readonly tint: Float32Array;

  /** Hidden parts have the share `hidden` of the opacity. */
  constructor(segments: Segments, private readonly count: number, viewport: IUniform<Vector2>, hidden: number) {
    const quads = segments.length / 2;
    const from = new Float32Array(12 * quads), to = new Float32Array(12 * quads), side = new Float32Array(8 * quads);
    const index = new Uint32Array(6 * quads);
    for (let q = 0; q < quads; q++) {
      const a = segments[2 * q], b = segments[2 * q + 1];
      for (let corner = 0; corner < 4; corner++) {
        const v = 4 * q + corner;
        from.set(corner < 2 ? a : b, 3 * v);
        to.set(corner < 2 ? b : a, 3 * v);
        // The other end is in the opposite direction, so its sides are swapped.
        side.set([corner === 0 || corner === 3 ? 1 : -1, corner < 2 ? 0 : 1], 2 * v);
      }
      index.set([0, 1, 2, 1, 3, 2].map((corner) => 4 * q + corner), 6 * q);
    }
    this.geometry.setAttribute('position', new BufferAttribute(from, 3));
    this.geometry.setAttribute('other', new BufferAttribute(to, 3));
    this.geometry.setAttribute('side', new BufferAttribute(side, 2));
    this.geometry.setIndex(new BufferAttribute(index, 1));
    const instanced = (name: string, size: number): Float32Array<ArrayBuffer> => {
      const array = new Float32Array(size * count);
      this.geometry.setAttribute(name, new InstancedBufferAttribute(array, size).setUsage(DynamicDrawUsage));
      return array;
    };
    this.place = instanced('place', 3);
    this.turn = instanced('turn', 4);
    this.tint = instanced('tint', 4);
    this.geometry.instanceCount = count;
    this.materials = [wireMaterial(viewport, 1, false), wireMaterial(viewport, hidden, true)];
    for (const material of this.materials) {
      const mesh = new Mesh<BufferGeometry>(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 4;
      this.group.add(mesh);
    }
  }

  /** Places an instance; `opacity` 0 hides it. The colour is linear. */
  set(i: number, [x, y, z]: Vec3, w: number, a: number, b: number, c: number, red: number, green: number, blue: number, opacity: number): void {
    if (i >= this.count) return;
    this.place.set([x, y, z], 3 * i);
    this.turn.set([a, b, c, w], 4 * i);
    this.tint.set([red, green, blue, opacity], 4 * i);
  }

  /** Draws what was set. */
  end(): void {
    for (const name of ['place', 'turn', 'tint']) this.geometry.getAttribute(name).needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

function wireMaterial(viewport: IUniform<Vector2>, share: number, through: boolean): ShaderMaterial {
  return new ShaderMaterial({
    name: through ? 'hidden wires' : 'wires',
    transparent: true,
    depthWrite: false,
    depthFunc: through ? GreaterDepth : LessEqualDepth,
    toneMapped: false,
    uniforms: { viewport, width: { value: WIDTH_PX }, share: { value: share } },
    vertexShader: `
      attribute vec3 other, place;
      attribute vec4 turn, tint;
      attribute vec2 side;
      uniform vec2 viewport;
      uniform float width;
      varying vec4 vTint;
      varying float vAcross;
      vec4 projected(vec3 p) {
        vec3 t = 2.0 * cross(turn.xyz, p);
        vec4 seen = modelViewMatrix * vec4(place + p + turn.w * t + cross(turn.xyz, t), 1.0);
        // Towards the camera by a small share, so that lines on a surface are in front of it.
        seen.xyz *= 0.9985;
        return projectionMatrix * seen;
      }
      void main() {
        vec4 here = projected(position), there = projected(other);
        // An end behind the camera has no direction in the picture.
        vec2 along = (there.xy / max(there.w, 1e-6) - here.xy / max(here.w, 1e-6)) * viewport;
        float span = length(along);
        vec2 across = span > 1e-6 ? vec2(-along.y, along.x) / span : vec2(0.0);
        float wide = 0.5 * width + 1.0;
        here.xy += side.x * across * wide * 2.0 / viewport * here.w;
        vAcross = (side.y > 0.5 ? -side.x : side.x) * wide;
        vTint = tint;
        gl_Position = tint.a > 0.0 ? here : vec4(2.0, 2.0, 2.0, 1.0);
      }`,
    fragmentShader: `
      uniform float width, share;
      varying vec4 vTint;
      varying float vAcross;
      void main() {
        float soft = clamp(0.5 * width + 0.5 - abs(vAcross), 0.0, 1.0);
        gl_FragColor = vec4(vTint.rgb, vTint.a * share * soft);
        #include <colorspace_fragment>
      }`,
  });
}

/** An arc of a circle about an axis of length 1, from a point, by an angle. */
export function arc(out: Segments, centre: Vec3, from: Vec3, other: Vec3, start: number, end: number): void {
  const steps = Math.max(2, Math.ceil(Math.abs(end - start) / (Math.PI / 24)));
  const at = (k: number): Vec3 => {
    const angle = start + ((end - start) * k) / steps, c = Math.cos(angle), s = Math.sin(angle);
    return [centre[0] + c * from[0] + s * other[0], centre[1] + c * from[1] + s * other[1], centre[2] + c * from[2] + s * other[2]];
  };
  for (let k = 0; k < steps; k++) out.push(at(k), at(k + 1));
}

/** A whole circle. */
export function circle(out: Segments, centre: Vec3, from: Vec3, other: Vec3): void {
  arc(out, centre, from, other, 0, 2 * Math.PI);
}
