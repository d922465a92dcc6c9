// Outlines of constant width around bodies: the selected one, and quarantined ones.
import { BackSide, Color, Group, Mesh, Quaternion, ShaderMaterial, Vector2, type BufferGeometry, type IUniform } from 'three';
import type { Header } from '../model';
import { hull, isGlass, unitBall } from './geometry';
import { POSE, type Poses } from './poses';

interface Line {
  body: number;
  mesh: Mesh<BufferGeometry, ShaderMaterial>;
  offset: [number, number, number];
}

export class Outlines {
  readonly group = new Group();
  private readonly geometries = new Map<number | 'ball', BufferGeometry>();
  private readonly material: ShaderMaterial;
  private lines: Line[] = [];
  private readonly turn = new Quaternion();

  constructor(private readonly header: Header, private readonly most: number, color: IUniform<Color>, pulse: IUniform<number>, viewport: IUniform<Vector2>, width: number) {
    this.material = new ShaderMaterial({
      name: 'outline',
      side: BackSide,
      toneMapped: false,
      uniforms: { color, pulse, viewport, width: { value: width } },
      vertexShader: `
        uniform vec2 viewport;
        uniform float width, pulse;
        void main() {
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          vec2 outward = (normalMatrix * normal).xy;
          float length_ = length(outward);
          // Outwards by a number of pixels, at any distance.
          if (length_ > 1e-6) gl_Position.xy += outward / length_ * (width + 2.5 * pulse) * 2.0 / viewport * gl_Position.w;
        }`,
      fragmentShader: `
        uniform vec3 color;
        void main() {
          gl_FragColor = vec4(color, 1.0);
          #include <colorspace_fragment>
        }`,
    });
  }

  /** Sets the outlined bodies. */
  set(bodies: readonly number[]): void {
    for (const { mesh } of this.lines) this.group.remove(mesh);
    this.lines = [];
    for (const body of bodies.slice(0, this.most)) {
      const info = this.header.bodies[body];
      // The outline would be visible through glass, which glows instead.
      if (!info || isGlass(this.header, info)) continue;
      if (info.mesh !== null && this.header.meshes[info.mesh]) this.add(body, info.mesh, [0, 0, 0], 1);
      else for (const [centre, radius] of info.spheres) this.add(body, 'ball', centre, Math.abs(radius));
    }
  }

  private add(body: number, sort: number | 'ball', offset: [number, number, number], scale: number): void {
    let geometry = this.geometries.get(sort);
    if (!geometry) this.geometries.set(sort, (geometry = sort === 'ball' ? unitBall(1, 'full') : hull(this.header.meshes[sort])));
    const mesh = new Mesh(geometry, this.material);
    mesh.scale.setScalar(scale);
    mesh.frustumCulled = false;
    this.lines.push({ body, mesh, offset });
    this.group.add(mesh);
  }

  update(poses: Poses): void {
    for (const { body, mesh, offset } of this.lines) {
      mesh.visible = poses.isShown(body);
      if (!mesh.visible) continue;
      const p = POSE * body, q = poses.data;
      mesh.position.set(...poses.toWorld(body, offset));
      mesh.quaternion.copy(this.turn.set(q[p + 4], q[p + 5], q[p + 6], q[p + 3]));
    }
  }

  dispose(): void {
    for (const geometry of this.geometries.values()) geometry.dispose();
    this.material.dispose();
  }
}
