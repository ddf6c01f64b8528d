/** Counters of what the process dropped, for /api/metrics. What a room dropped is in its `fusion_health`. */
import { Counter, type Registry } from "prom-client";

interface ProcessDrops {
  readonly recorder: { readonly dropped: number };
  readonly progress: { readonly counts: { readonly illegal: number; readonly lost: number } };
  readonly host: { readonly dropped: { readonly observations: number; readonly reports: number } };
}

/** Each part counts its own drops; the registry reads the counts when /api/metrics is requested. */
export function registerDrops(registry: Registry, { recorder, progress, host }: ProcessDrops): void {
  const add = (name: string, help: string, read: () => number) => {
    const counter = new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
    void counter;
  };
  const { counts } = progress;
  add("picket_log_events_dropped_total", "events that are not in the event log", () => recorder.dropped);
  add("picket_task_answers_lost_total", "answers of vehicles that found no room", () => counts.lost);
  add("picket_task_answers_illegal_total", "answers of vehicles that fit no state of their task", () => counts.illegal);
  const unopened = "that came while their workspace was not open";
  add("picket_link_observations_dropped_total", `observations of links ${unopened}`, () => host.dropped.observations);
  add("picket_link_reports_dropped_total", `reports of platforms ${unopened}`, () => host.dropped.reports);
}
