// The drags at a moment of a recording, from its input events.
import type { BodyInfo, PointerDrag, Vec3 } from './model';
import type { RunEvent } from './source/source';

/** The drag of one user from a step on; null after its release. */
interface DragChange {
  step: number;
  drag: PointerDrag | null;
}

interface DragDetail {
  hand: number;
  body: string;
  point_body: Vec3;
  target: Vec3;
}

export class RecordedDrags {
  /** The changes of each user's drag, in order of time. */
  private readonly changes = new Map<number, DragChange[]>();
  private readonly bodies: Map<string, number>;

  constructor(bodies: readonly BodyInfo[]) {
    this.bodies = new Map(bodies.map(({ name }, index) => [name, index]));
  }

  /** Adds events that follow those added before. */
  add(events: readonly RunEvent[]): void {
    for (const { kind, step, detail } of events) {
      if (kind !== 'input' || typeof detail !== 'object' || detail === null) continue;
      const { pull, let_go: release } = detail as { pull?: DragDetail; let_go?: { hand: number } };
      if (pull) {
        const body = this.bodies.get(pull.body);
        if (body !== undefined) this.addChange(pull.hand, { step, drag: { body, point: pull.point_body, target: pull.target } });
      } else if (release) {
        this.addChange(release.hand, { step, drag: null });
      }
    }
  }

  /** The drags that acted in the step before the frame of this step. */
  at(step: number): PointerDrag[] {
    const drags: PointerDrag[] = [];
    for (const changes of this.changes.values()) {
      let [before, end] = [0, changes.length];
      while (before < end) {
        const middle = (before + end) >> 1;
        if (changes[middle]!.step < step) before = middle + 1;
        else end = middle;
      }
      const drag = changes[before - 1]?.drag;
      if (drag) drags.push(drag);
    }
    return drags;
  }

  private addChange(hand: number, change: DragChange): void {
    const known = this.changes.get(hand);
    if (known) known.push(change);
    else this.changes.set(hand, [change]);
  }
}
