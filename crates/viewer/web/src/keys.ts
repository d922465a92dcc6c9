// The actions of the keys; the help dialog shows the same table.
import type { Toggle, ViewName } from './stage/stage';

/** All actions of keys and controls. */
export interface Actions {
  togglePlay(): void;
  step(frames: number): void;
  home(): void;
  end(): void;
  goLive(): void;
  scrub(index: number): void;
  scrubToTime(time: number): void;
  reset(): void;
  kick(body: number): void;
  toggleLoop(): void;
  setSpeed(speed: number): void;
  changeSpeed(direction: 1 | -1): void;
  toggleFollow(): void;
  selectNext(direction: 1 | -1): void;
  escape(): void;
  view(name: ViewName): void;
  toggle(what: Toggle): void;
  togglePlots(): void;
  toggleTheme(): void;
  toggleHelp(): void;
  save(): void;
  openScene(name: string): void;
}

export interface Key {
  /** As in `KeyboardEvent.key`, letters in lower case. */
  keys: string[];
  label: string;
  does: string;
  group: 'Run' | 'Bodies' | 'Picture' | 'Page';
  /** Only for a live run. */
  live?: boolean;
  /** Only if the recording can be saved. */
  saves?: boolean;
  /** Only if there is cloth; if there are joints; if colliders are recorded. */
  cloth?: boolean;
  joints?: boolean;
  colliders?: boolean;
  act(actions: Actions, event: KeyboardEvent): void;
}

export const KEYS: Key[] = [
  { keys: [' '], label: 'Space', does: 'play or pause', group: 'Run', act: (a) => a.togglePlay() },
  {
    keys: ['arrowright', 'arrowleft'],
    label: '→ ←',
    does: 'one frame forward or back (ten with Shift)',
    group: 'Run',
    act: (a, e) => a.step((e.key === 'ArrowRight' ? 1 : -1) * (e.shiftKey ? 10 : 1)),
  },
  {
    keys: ['home', 'end'],
    label: 'Home End',
    does: 'go to the first or the newest frame',
    group: 'Run',
    act: (a, e) => (e.key === 'Home' ? a.home() : a.end()),
  },
  { keys: ['r'], label: 'R', does: 'restart the scene', group: 'Run', act: (a) => a.reset() },
  { keys: ['l'], label: 'L', does: 'loop the replay', group: 'Run', act: (a) => a.toggleLoop() },
  {
    keys: ['+', '=', '-'],
    label: '+ −',
    does: 'faster, slower',
    group: 'Run',
    act: (a, e) => a.changeSpeed(e.key === '-' ? -1 : 1),
  },
  {
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    label: '1 … 9',
    does: 'kick the first to the ninth body',
    group: 'Bodies',
    live: true,
    act: (a, e) => a.kick(Number(e.key) - 1),
  },
  {
    keys: ['n'],
    label: 'N',
    does: 'select the next body or cloth (Shift: previous)',
    group: 'Bodies',
    act: (a, e) => a.selectNext(e.shiftKey ? -1 : 1),
  },
  { keys: ['f'], label: 'F', does: 'follow the selection, or stop following', group: 'Bodies', act: (a) => a.toggleFollow() },
  { keys: ['escape'], label: 'Esc', does: 'release the drag, clear the selection', group: 'Bodies', act: (a) => a.escape() },
  { keys: ['c'], label: 'C', does: 'contacts with their forces', group: 'Picture', act: (a) => a.toggle('contacts') },
  { keys: ['g'], label: 'G', does: 'forces', group: 'Picture', act: (a) => a.toggle('forces') },
  { keys: ['v'], label: 'V', does: 'velocities', group: 'Picture', act: (a) => a.toggle('velocities') },
  { keys: ['b'], label: 'B', does: 'body frames', group: 'Picture', act: (a) => a.toggle('frames') },
  { keys: ['j'], label: 'J', does: 'joints: frames, axes, limits', group: 'Picture', joints: true, act: (a) => a.toggle('joints') },
  { keys: ['k'], label: 'K', does: 'colliders: what really collides', group: 'Picture', colliders: true, act: (a) => a.toggle('colliders') },
  { keys: ['w'], label: 'W', does: 'wireframe', group: 'Picture', act: (a) => a.toggle('wireframe') },
  { keys: ['m'], label: 'M', does: 'mesh of the cloth', group: 'Picture', cloth: true, act: (a) => a.toggle('cloth') },
  { keys: ['0'], label: '0', does: 'the whole scene in view', group: 'Picture', act: (a) => a.view('home') },
  { keys: ['p'], label: 'P', does: 'plots', group: 'Page', act: (a) => a.togglePlots() },
  { keys: ['t'], label: 'T', does: 'light or dark', group: 'Page', act: (a) => a.toggleTheme() },
  { keys: ['s'], label: 'S', does: 'save the recording', group: 'Page', saves: true, act: (a) => a.save() },
  { keys: ['?'], label: '?', does: 'these keys', group: 'Page', act: (a) => a.toggleHelp() },
];

/** Keys that repeat while held down. */
const REPEATING = new Set(['arrowright', 'arrowleft', '+', '=', '-', 'n']);

/** `blocked` returns whether a dialog has the keyboard. */
export function listenForKeys(actions: Actions, blocked: () => boolean): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    const found = KEYS.find((candidate) => candidate.keys.includes(key));
    if (found === undefined || taken(event, key)) return;
    if (blocked() && key !== '?') return;
    event.preventDefault();
    if (event.repeat && !REPEATING.has(key)) return;
    found.act(actions, event);
  });
}

/** Whether the focused control handles the key itself. */
function taken(event: KeyboardEvent, key: string): boolean {
  const target = event.target;
  if (target instanceof HTMLButtonElement) return key === ' ';
  if (target instanceof HTMLSelectElement) return key !== 'escape';
  // The page handles these keys of the timeline.
  if (target instanceof HTMLInputElement) return target.id !== 'timeline';
  return target instanceof HTMLElement && target.isContentEditable;
}
