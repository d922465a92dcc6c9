// The pointer on the picture: down on a body or cloth selects it, moving on pulls a body; elsewhere the camera moves.
import type { Pull, Vec3 } from './model';
import type { Stage } from './stage/stage';

/** How far a pointer trembles, in CSS pixels. */
const TREMBLE = 4;

export interface DragHost {
  /** Whether this is a body that can be pulled now. */
  pullable(thing: number): boolean;
  select(thing: number | null): void;
  pull(pull: Pull): void;
  letGo(): void;
  /** The user moved the camera. */
  cameraMoved(): void;
}

interface Grab {
  pointer: number;
  body: number;
  point: Vec3;
  world: Vec3;
  x: number;
  y: number;
}

export class Drag {
  private down: { pointer: number; x: number; y: number; moved: boolean } | null = null;
  private grab: Grab | null = null;
  private pulling: Pull | null = null;
  private due = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly stage: Stage,
    private readonly host: DragHost,
  ) {
    // Before the camera's own listeners, which sit on the canvas.
    const early = canvas.parentElement ?? canvas;
    early.addEventListener('pointerdown', (event) => this.begin(event), true);
    addEventListener('pointermove', (event) => this.move(event), true);
    addEventListener('pointerup', (event) => this.finish(event), true);
    addEventListener('pointercancel', () => this.cancel(), true);
    canvas.addEventListener('wheel', () => host.cameraMoved(), { passive: true });
  }

  /** The pull of this page, if there is one. */
  get current(): Pull | null {
    return this.pulling;
  }

  /** Once per animation frame: hands on the latest target, if it is new. */
  flush(): void {
    if (!this.due || this.grab === null) return;
    this.due = false;
    const { body, point, world, x, y } = this.grab;
    this.pulling = { body, point, target: this.stage.dragTarget(x, y, world) };
    this.host.pull(this.pulling);
  }

  /** Lets go; tells whether there was anything to let go of. */
  cancel(): boolean {
    const pulled = this.pulling !== null;
    if (this.grab !== null) this.stage.controls(true);
    this.grab = null;
    this.pulling = null;
    this.down = null;
    this.due = false;
    this.canvas.classList.remove('pulling');
    if (pulled) this.host.letGo();
    return pulled;
  }

  private place(event: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private begin(event: PointerEvent): void {
    if (event.target !== this.canvas || !event.isPrimary || event.button !== 0) return;
    const [x, y] = this.place(event);
    this.down = { pointer: event.pointerId, x, y, moved: false };
    const hit = this.stage.pick(x, y);
    if (hit === null) return;
    this.host.select(hit.thing);
    if (!this.host.pullable(hit.thing)) return;
    this.grab = { pointer: event.pointerId, x, y, body: hit.thing, point: hit.point, world: hit.world };
    this.stage.controls(false);
  }

  private move(event: PointerEvent): void {
    const down = this.down;
    if (down === null || event.pointerId !== down.pointer) return;
    const [x, y] = this.place(event);
    if (!down.moved) {
      down.moved = Math.hypot(x - down.x, y - down.y) > TREMBLE;
      if (!down.moved) return;
      if (this.grab === null) this.host.cameraMoved();
      else this.canvas.classList.add('pulling');
    }
    if (this.grab === null) return;
    this.grab.x = x;
    this.grab.y = y;
    this.due = true;
  }

  private finish(event: PointerEvent): void {
    const down = this.down;
    if (down === null || event.pointerId !== down.pointer) return;
    // A click into the void selects nothing.
    if (!down.moved && this.stage.pick(down.x, down.y) === null) this.host.select(null);
    this.cancel();
  }
}
