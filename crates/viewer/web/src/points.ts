// The points of all plots, as the source delivers them in parts.
import type { SeriesData } from './source/source';

export class Points {
  /** Frames between two points. */
  stride = 1;
  times: number[] = [];
  /** One list per series. */
  columns: (number | null)[][];

  constructor(private readonly series: number) {
    this.columns = this.empty();
  }

  /** Adds points; a different stride replaces all earlier ones. */
  take(data: SeriesData): void {
    if (data.stride !== this.stride) {
      this.stride = data.stride;
      this.times = [];
      this.columns = this.empty();
    }
    // A gap would shift later points.
    if (data.from > this.times.length) return;
    this.times.length = data.from;
    this.times.push(...data.times);
    this.columns.forEach((column, i) => {
      column.length = data.from;
      column.push(...data.times.map((_, point) => data.values[point]?.[i] ?? null));
    });
  }

  private empty(): (number | null)[][] {
    return Array.from({ length: this.series }, () => []);
  }
}
