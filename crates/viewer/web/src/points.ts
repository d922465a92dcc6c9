// The points of all plots so far, as the source hands them out piece by piece.
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

  /** Takes what comes next; with another stride everything before is dropped. */
  take(data: SeriesData): void {
    if (data.stride !== this.stride) {
      this.stride = data.stride;
      this.times = [];
      this.columns = this.empty();
    }
    // A gap would put points where they do not belong.
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
