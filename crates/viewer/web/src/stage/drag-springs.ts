// The springs of drags, from the grabbed point to a handle at the target.
import { Group, Mesh, MeshStandardMaterial, SphereGeometry } from 'three';
import type { PointerDrag } from '../model';
import { Coils } from './coils';
import { isDrawable } from './box';
import type { Poses } from './poses';
import type { Look } from './theme';

const MAX_DRAGS = 16;

export class DragSprings {
  readonly group = new Group();
  private readonly coils = new Coils(MAX_DRAGS, 0.45);
  private readonly ball = new SphereGeometry(1, 24, 16);
  private readonly material = new MeshStandardMaterial({ roughness: 0.35 });
  private readonly balls: Mesh<SphereGeometry, MeshStandardMaterial>[] = [];
  private drags: PointerDrag[] = [];

  constructor() {
    this.coils.mesh.castShadow = false;
    for (let i = 0; i < 2 * MAX_DRAGS; i++) {
      const ball = new Mesh(this.ball, this.material);
      ball.visible = false;
      this.balls.push(ball);
      this.group.add(ball);
    }
    this.group.add(this.coils.mesh);
  }

  set(drags: PointerDrag[]): void {
    this.drags = drags.slice(0, MAX_DRAGS);
  }

  setLook(look: Look): void {
    this.material.color.set(look.pull);
    this.material.emissive.set(look.pull).multiplyScalar(0.35);
  }

  /** `size` is the size of a handle, in metres, for the distance of the camera. */
  update(poses: Poses, size: number): void {
    let drawn = 0;
    const { r, g, b } = this.material.color;
    for (const { body, point, target } of this.drags) {
      if (!poses.isShown(body) || !isDrawable(...target)) continue;
      const from = poses.toWorld(body, point);
      const span = Math.hypot(target[0] - from[0], target[1] - from[1], target[2] - from[2]);
      const radius = Math.min(0.38 * size, 0.2 * span);
      const turns = Math.max(4, Math.min(18, Math.round(span / (2.6 * radius))));
      this.coils.set(drawn, from, target, radius, Math.min(0.09 * size, 0.25 * radius), turns, r, g, b);
      const [grip, handle] = [this.balls[2 * drawn], this.balls[2 * drawn + 1]];
      grip.position.set(...from);
      grip.scale.setScalar(0.3 * size);
      handle.position.set(...target);
      handle.scale.setScalar(0.55 * size);
      drawn++;
    }
    this.balls.forEach((ball, i) => (ball.visible = i < 2 * drawn));
    this.coils.draw(drawn);
  }

  isEmpty(): boolean {
    return this.drags.length === 0;
  }

  dispose(): void {
    this.coils.dispose();
    this.ball.dispose();
    this.material.dispose();
  }
}
