// The source of runs: one interface for a live server and for a file.
import type { Chart, Frame, Header, PointerDrag, Vec3 } from '../model';

export interface SceneInfo {
  name: string;
  family: string;
  title: string;
}
export interface SeriesInfo {
  name: string;
  group: string;
  unit: string;
}
export interface RunEvent {
  time: number;
  step: number;
  kind: string;
  detail: unknown;
}
/** Points of all plots from index `from` on; point i is frame i · stride. */
export interface SeriesData {
  stride: number;
  from: number;
  times: number[];
  /** For each point one number per series; null if it is not finite. */
  values: (number | null)[][];
}
/** `live`: being simulated. `recording` and `file`: finished. */
export type Kind = 'live' | 'recording' | 'file';

/** A run as a source introduces it. */
export interface Run {
  kind: Kind;
  number: number;
  header: Header;
  title: string | null;
  scenes: SceneInfo[];
  series: SeriesInfo[];
  /** The contacts of characters, if there are any. */
  chart: Chart | null;
  /** The labels of the movements to choose from, if there are several, and the index of the shown one. */
  movements: string[];
  movement: number;
}
/** The state that all pages of a run share. */
export interface Shared {
  playing: boolean;
  speed: number;
  frames: number;
  factor: number | null;
  quarantined: string[];
  pulls: PointerDrag[];
  message: string | null;
  /** Progress of the search for the movement of another scene. */
  search: string | null;
}
export type Command =
  | { do: 'play' | 'pause' | 'step' | 'reset' | 'let_go' }
  | { do: 'speed'; value: number }
  | { do: 'open'; scene: string }
  | { do: 'movement'; index: number }
  | { do: 'kick'; body: number }
  | { do: 'pull'; body: number; point: Vec3; target: Vec3 };

export interface Listener {
  run(run: Run): void;
  shared(state: Shared): void;
  frame(index: number, frame: Frame, newest: boolean): void;
  events(events: RunEvent[]): void;
  series(data: SeriesData): void;
  /** Whether there is a connection, and a notice if not. */
  connection(connected: boolean, notice: string | null): void;
}

export interface Source {
  start(listener: Listener): void;
  /** Requests the newest frame after an index, once. */
  want(after: number): void;
  /** Requests a recorded frame. */
  frame(index: number): void;
  /** Requests points of the plots. */
  series(from: number, stride: number): void;
  /** Resolves when the command has taken effect; rejects with a message for the user. */
  command(command: Command): Promise<void>;
  /** The address of the recording so far, if it can be saved. */
  readonly saveAddress: string | null;
}
