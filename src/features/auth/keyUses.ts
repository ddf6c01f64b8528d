/** When API keys were last used: gathered in memory and written in batches, so that no request waits for it. */
import type { Database } from "../../db/client.ts";
import { touchKeys } from "./store.ts";

export class KeyUses {
  readonly #db: Database;
  /** Keys used since they were last written, by workspace. */
  readonly #used = new Map<string, Set<string>>();

  constructor(db: Database) {
    this.#db = db;
  }

  note(workspaceId: string, keyId: string): void {
    const used = this.#used.get(workspaceId);
    if (used === undefined) this.#used.set(workspaceId, new Set([keyId]));
    else used.add(keyId);
  }

  /** Does nothing while the database is away. Rejects when a write fails; its keys are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#db.state !== "up") return;
    for (const [workspaceId, ids] of [...this.#used]) {
      // Removed before the write, so that a use during the write is written next time; put back where the write fails.
      this.#used.delete(workspaceId);
      try {
        await this.#db.run((sql) => touchKeys(sql, workspaceId, [...ids]));
      } catch (fault) {
        for (const id of ids) this.note(workspaceId, id);
        throw fault;
      }
    }
  }
}
