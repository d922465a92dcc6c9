// The springs of the scene as coils, coloured by their strain; ropes and rods as straight wires.
import { Color, Group, InstancedMesh, Matrix4, MeshStandardMaterial, SphereGeometry } from 'three';
import type { EndInfo, Header, Vec3 } from '../model';
import { Coils } from './coils';
import type { Poses } from './poses';

const SLACK = new Color('#9aa4b0'), STRETCHED = new Color('#ff5a2a'), PRESSED = new Color('#2f7dff');
/** The strain at which the colour is nearly saturated. */
const FULL_COLOR_STRAIN = 0.3;

export class Springs {
  readonly group = new Group();
  private readonly coils: Coils;
  private readonly pins: InstancedMesh<SphereGeometry, MeshStandardMaterial>;
  private readonly color = new Color();

  /** `size` is that of the scene; it bounds the thickness of coils. */
  constructor(private readonly header: Header, private readonly size: number) {
    this.coils = new Coils(Math.max(header.springs.length, 1), 0.08);
    const pins: Vec3[] = [];
    let least = 0.012 * size;
    for (const spring of header.springs) {
      for (const end of [spring.a, spring.b]) if ('pin' in end) pins.push(end.pin);
      if (spring.length > 0) least = Math.min(least, 0.1 * spring.length);
    }
    const ball = new SphereGeometry(least, 24, 16);
    this.pins = new InstancedMesh(ball, new MeshStandardMaterial({ color: '#6b7480', roughness: 0.4, metalness: 0.5 }), pins.length);
    const matrix = new Matrix4();
    pins.forEach((pin, i) => this.pins.setMatrixAt(i, matrix.makeTranslation(...pin)));
    this.pins.frustumCulled = false;
    this.pins.castShadow = true;
    this.pins.visible = pins.length > 0;
    this.group.add(this.coils.mesh, this.pins);
  }

  /** `breaks` has the times at which joints broke. */
  update(poses: Poses, time: number, breaks: ReadonlyMap<string, number>): void {
    let drawn = 0;
    for (const spring of this.header.springs) {
      if (spring.joint !== undefined && time >= (breaks.get(spring.joint) ?? Infinity)) continue;
      const a = endPoint(spring.a, poses), b = endPoint(spring.b, poses);
      if (!a || !b) continue;
      const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      if (!(length > 1e-4 * this.size)) continue;
      if (spring.joint !== undefined) {
        const wire = Math.min(0.005 * spring.length, 0.002 * this.size);
        this.coils.set(drawn++, a, b, 0, Math.max(wire, 0.0008 * this.size), 0, SLACK.r, SLACK.g, SLACK.b);
        continue;
      }
      // A spring without a rest length is scaled by the scene.
      const own = spring.length > 0 ? spring.length : 0.35 * this.size;
      const strain = spring.length > 0 ? length / own - 1 : length / own;
      const radius = Math.min(0.1 * own, 0.011 * this.size, 0.3 * length);
      const turns = Math.max(5, Math.min(18, Math.round((0.45 * own) / radius)));
      const amount = Math.tanh(Math.abs(strain) / FULL_COLOR_STRAIN);
      const { r, g, b: blue } = this.color.lerpColors(SLACK, strain > 0 ? STRETCHED : PRESSED, amount);
      this.coils.set(drawn++, a, b, radius, 0.23 * radius, turns, r, g, blue);
    }
    this.coils.draw(drawn);
  }

  dispose(): void {
    this.coils.dispose();
    this.pins.geometry.dispose();
    this.pins.material.dispose();
    this.pins.dispose();
  }
}

function endPoint(end: EndInfo, poses: Poses): Vec3 | null {
  if ('pin' in end) return end.pin;
  const [body, point] = end.body;
  return poses.isShown(body) ? poses.toWorld(body, point) : null;
}
