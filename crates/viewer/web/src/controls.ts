// The buttons, lists and the timeline.
import { button, element, setAttribute, setPressed, setText } from './dom';
import { clock } from './format';
import type { Actions } from './keys';
import { Marks } from './marks';
import type { Parts } from './model';
import type { Kind, RunEvent } from './source/source';
import type { Toggle, ViewName } from './stage/stage';

export const TOGGLES: Toggle[] = ['contacts', 'forces', 'velocities', 'frames', 'joints', 'colliders', 'wireframe', 'cloth'];
export const VIEWS: ViewName[] = ['home', 'front', 'side', 'top'];
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** The state that the controls show. */
export interface ControlsState {
  kind: Kind;
  playing: boolean;
  live: boolean;
  loop: boolean;
  speed: number;
  frame: number;
  frames: number;
  time: number;
  duration: number;
  factor: number | null;
  view: ViewName | null;
  toggles: Record<Toggle, boolean>;
}

export class Controls {
  private readonly play = button('play');
  private readonly live = button('live');
  private readonly timeline = element('timeline', HTMLInputElement);
  private readonly speed = element('speed', HTMLSelectElement);
  private readonly time = element('time', HTMLElement);
  private readonly factor = element('factor', HTMLElement);
  private readonly marks = new Marks(element('marks', HTMLElement));
  private readonly toggles: [Toggle, HTMLElement][];
  private readonly views: [ViewName, HTMLElement][];

  constructor(actions: Actions) {
    const clicks: [string, () => void][] = [
      ['play', () => actions.togglePlay()],
      ['step-back', () => actions.step(-1)],
      ['step-forward', () => actions.step(1)],
      ['reset', () => actions.reset()],
      ['loop', () => actions.toggleLoop()],
      ['live', () => actions.goLive()],
      ['save', () => actions.save()],
      ['help', () => actions.toggleHelp()],
      ['plots-toggle', () => actions.togglePlots()],
      ['plots-close', () => actions.togglePlots()],
      ['theme', () => actions.toggleTheme()],
    ];
    for (const [id, click] of clicks) button(id).addEventListener('click', click);
    this.toggles = TOGGLES.map((name) => [name, pressed(`[data-toggle=${name}]`, () => actions.toggle(name))]);
    this.views = VIEWS.map((name) => [name, pressed(`[data-view=${name}]`, () => actions.view(name))]);
    this.timeline.addEventListener('input', () => actions.scrub(Number(this.timeline.value)));
    this.speed.replaceChildren(...SPEEDS.map(speedOption));
    this.speed.addEventListener('change', () => actions.setSpeed(Number(this.speed.value)));
  }

  /** Starts a new run; shows only the controls that apply to it. */
  load(kind: Kind, saves: boolean, has: Parts): void {
    for (const [name, target] of this.toggles) target.hidden = name in has && !has[name as keyof Parts];
    this.live.hidden = kind !== 'live';
    this.factor.hidden = kind !== 'live';
    button('save').hidden = !saves;
    const reset = kind === 'live' ? 'Restart' : 'Back to the beginning';
    setAttribute(button('reset'), 'aria-label', `${reset} (R)`);
    setAttribute(button('reset'), 'title', `${reset} (R)`);
    this.marks.clear();
  }

  events(events: RunEvent[]): void {
    this.marks.add(events);
  }

  update(dt: number, state: ControlsState): void {
    const label = state.playing ? 'Pause (Space)' : 'Play (Space)';
    setAttribute(this.play, 'aria-label', label);
    setAttribute(this.play, 'title', label);
    this.play.classList.toggle('playing', state.playing);
    setPressed(button('loop'), state.loop);
    setPressed(this.live, state.live);
    const last = Math.max(state.frames - 1, 0);
    const frame = Math.min(state.frame, last);
    setAttribute(this.timeline, 'max', String(last));
    if (this.timeline.value !== String(frame)) this.timeline.value = String(frame);
    setAttribute(this.timeline, 'aria-valuetext', `${clock(state.time)}, frame ${frame + 1} of ${state.frames}`);
    this.timeline.style.setProperty('--played', String(last > 0 ? frame / last : 0));
    setText(this.time, `${clock(state.time)} / ${clock(state.duration)}`);
    if (this.speed.value !== String(state.speed) && document.activeElement !== this.speed) {
      if (!SPEEDS.includes(state.speed)) this.speed.replaceChildren(...SPEEDS.map(speedOption), speedOption(state.speed));
      this.speed.value = String(state.speed);
    }
    if (state.factor !== null) setText(this.factor, `${state.factor.toFixed(2)}× real time`);
    for (const [name, target] of this.toggles) setPressed(target, state.toggles[name]);
    for (const [name, target] of this.views) setPressed(target, state.view === name);
    this.marks.update(dt, state.duration);
  }
}

function pressed(selector: string, click: () => void): HTMLElement {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLButtonElement)) throw new Error(`The page has no button ${selector}.`);
  found.addEventListener('click', click);
  return found;
}

function speedOption(speed: number): HTMLOptionElement {
  return new Option(`${speed}×`, String(speed));
}
