/** What a fault of the driver means for the caller, and the deadline that the driver lacks. */

function codeOf(fault: unknown): string {
  const code = (fault as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** The connection failed, or the server is starting or stopping: the statement itself may be right. */
export function isOutage(fault: unknown): boolean {
  return /^(ECONN|EPIPE|ENOENT|EHOST|ENET|ETIMEDOUT|EAI_|CONNECT|08|57P|25P03|58|XX)/.test(codeOf(fault));
}

/** The server answers but cannot do it now: full, read-only, a lock or a deadlock, a statement over its time. */
export function isBusy(fault: unknown): boolean {
  return /^(53|57014|25006|55P03|40001|40P01)/.test(codeOf(fault));
}

export class DeadlineError extends Error {
  override name = "DeadlineError";
  readonly code = "CONNECT_TIMEOUT";
}

/** Rejects with a DeadlineError after `deadlineMs`; the work itself goes on. */
export function within<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DeadlineError(`the database did not answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
