// Which hands pull at a moment of a recording, found from what was done while it ran.
import type { BodyInfo, Pull, Vec3 } from './model';
import type { RunEvent } from './source/source';

/** What a hand does from a step on; null is letting go. */
interface Grip {
  step: number;
  pull: Pull | null;
}

interface PullDetail {
  hand: number;
  body: string;
  point_body: Vec3;
  target: Vec3;
}

export class Hands {
  /** What each hand did, in order of time. */
  private readonly grips = new Map<number, Grip[]>();
  private readonly bodies: Map<string, number>;

  constructor(bodies: readonly BodyInfo[]) {
    this.bodies = new Map(bodies.map(({ name }, index) => [name, index]));
  }

  /** Takes note of events that come after those noted before. */
  add(events: readonly RunEvent[]): void {
    for (const { kind, step, detail } of events) {
      if (kind !== 'input' || typeof detail !== 'object' || detail === null) continue;
      const { pull, let_go: letGo } = detail as { pull?: PullDetail; let_go?: { hand: number } };
      if (pull) {
        const body = this.bodies.get(pull.body);
        if (body !== undefined) this.grip(pull.hand, { step, pull: { body, point: pull.point_body, target: pull.target } });
      } else if (letGo) {
        this.grip(letGo.hand, { step, pull: null });
      }
    }
  }

  /** The pulls that acted in the step that led to the frame of this number: what is done at a step shows after it. */
  at(step: number): Pull[] {
    const pulls: Pull[] = [];
    for (const grips of this.grips.values()) {
      let [before, end] = [0, grips.length];
      while (before < end) {
        const middle = (before + end) >> 1;
        if (grips[middle]!.step < step) before = middle + 1;
        else end = middle;
      }
      const pull = grips[before - 1]?.pull;
      if (pull) pulls.push(pull);
    }
    return pulls;
  }

  private grip(hand: number, grip: Grip): void {
    const known = this.grips.get(hand);
    if (known) known.push(grip);
    else this.grips.set(hand, [grip]);
  }
}
