// The pointer on the picture: a press selects a body or cloth, a drag of a body pulls it with a spring, and a drag
// elsewhere moves the camera.
import type { PointerDrag, Vec3 } from './model';
import type { Stage } from './stage/stage';

/** A pointer that moves less than this, in CSS pixels, clicks. */
const CLICK_TOLERANCE_PX = 4;

export interface DragActions {
  /** Whether this is a body that can be dragged now. */
  isDraggable(object: number): boolean;
  select(object: number | null): void;
  drag(drag: PointerDrag): void;
  releaseDrag(): void;
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

export class DragController {
  private down: { pointer: number; x: number; y: number; moved: boolean } | null = null;
  private grab: Grab | null = null;
  private drag: PointerDrag | null = null;
  private targetChanged = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly stage: Stage,
    private readonly host: DragActions,
  ) {
    // Before the listeners of the camera, which are on the canvas.
    const early = canvas.parentElement ?? canvas;
    early.addEventListener('pointerdown', (event) => this.begin(event), true);
    addEventListener('pointermove', (event) => this.move(event), true);
    addEventListener('pointerup', (event) => this.finish(event), true);
    addEventListener('pointercancel', () => this.cancel(), true);
    canvas.addEventListener('wheel', () => host.cameraMoved(), { passive: true });
  }

  /** The drag of this page, if there is one. */
  get current(): PointerDrag | null {
    return this.drag;
  }

  /** Once per animation frame: sends the latest target, if it has changed. */
  flush(): void {
    if (!this.targetChanged || this.grab === null) return;
    this.targetChanged = false;
    const { body, point, world, x, y } = this.grab;
    this.drag = { body, point, target: this.stage.dragTarget(x, y, world) };
    this.host.drag(this.drag);
  }

  /** Ends the drag; returns whether there was one. */
  cancel(): boolean {
    const dragged = this.drag !== null;
    if (this.grab !== null) this.stage.controls(true);
    this.grab = null;
    this.drag = null;
    this.down = null;
    this.targetChanged = false;
    this.canvas.classList.remove('pulling');
    if (dragged) this.host.releaseDrag();
    return dragged;
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
    this.host.select(hit.object);
    if (!this.host.isDraggable(hit.object)) return;
    this.grab = { pointer: event.pointerId, x, y, body: hit.object, point: hit.point, world: hit.world };
    this.stage.controls(false);
  }

  private move(event: PointerEvent): void {
    const down = this.down;
    if (down === null || event.pointerId !== down.pointer) return;
    const [x, y] = this.place(event);
    if (!down.moved) {
      down.moved = Math.hypot(x - down.x, y - down.y) > CLICK_TOLERANCE_PX;
      if (!down.moved) return;
      if (this.grab === null) this.host.cameraMoved();
      else this.canvas.classList.add('pulling');
    }
    if (this.grab === null) return;
    this.grab.x = x;
    this.grab.y = y;
    this.targetChanged = true;
  }

  private finish(event: PointerEvent): void {
    const down = this.down;
    if (down === null || event.pointerId !== down.pointer) return;
    // A click on the background clears the selection.
    if (!down.moved && this.stage.pick(down.x, down.y) === null) this.host.select(null);
    this.cancel();
  }
}
