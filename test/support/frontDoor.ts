/** A service of its own for one test file, with its owner's key for requests. */
import { afterAll, beforeAll, expect } from "vitest";
import { type Answered, type Asked, type Member, startTestPicket, type TestPicket } from "./picket.ts";

interface Front {
  readonly service: TestPicket;
  readonly owner: Member;
  readonly key: string;
  /** With the owner's key, unless `asked` says otherwise. */
  ask(method: string, path: string, body?: unknown, asked?: Asked): Promise<Answered>;
  /** Registers an asset; returns its id. */
  made(body: object): Promise<string>;
}

/** Call at the top of the file: starts the service before the file's tests and stops it after them. */
export function useService(env: Readonly<Record<string, string>> = {}): Front {
  let service: TestPicket;
  let owner: Member;
  let key: string;
  beforeAll(async () => {
    service = await startTestPicket(env);
    owner = await service.login();
    key = await service.key("owner", owner);
  });
  afterAll(() => service.stop());
  const ask: Front["ask"] = (method, path, body, asked = {}) =>
    service.request(method, path, { key, ...(body === undefined ? {} : { body }), ...asked });
  return {
    get service() {
      return service;
    },
    get owner() {
      return owner;
    },
    get key() {
      return key;
    },
    ask,
    async made(body) {
      const answer = await ask("POST", "/api/assets", body);
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data.id;
    },
  };
}

/** The status and code of an answer. */
export const says = ({ status, body }: Answered) => [status, body?.code ?? "ok"];
