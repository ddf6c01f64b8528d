/** When each open task of one room is checked next. A binary heap; a replaced entry is skipped when it becomes due. */

interface Entry {
  readonly taskId: string;
  readonly atMs: number;
}

export class Agenda {
  readonly #heap: Entry[] = [];
  /** The valid entry of each task; older ones may still be on the heap. */
  readonly #atMs = new Map<string, number>();

  /** Number of tasks. */
  get size(): number {
    return this.#atMs.size;
  }

  /** Replaces the task's earlier entry. */
  put(taskId: string, atMs: number): void {
    if (this.#atMs.get(taskId) === atMs) return;
    this.#atMs.set(taskId, atMs);
    this.#push({ taskId, atMs });
  }

  remove(taskId: string): void {
    this.#atMs.delete(taskId);
  }

  /** Removes and returns the tasks that are due, in no order. */
  take(nowMs: number): string[] {
    const due: string[] = [];
    while (this.#heap.length > 0 && this.#heap[0]!.atMs <= nowMs) {
      const { taskId, atMs } = this.#pop();
      if (this.#atMs.get(taskId) !== atMs) continue;
      this.#atMs.delete(taskId);
      due.push(taskId);
    }
    return due;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (heap[parent]!.atMs <= entry.atMs) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  #pop(): Entry {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child++;
      if (heap[child]!.atMs >= last.atMs) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return top;
  }
}
