/** A service of its own for one test file, and its owner's key to ask it with. */
import { afterAll, beforeAll, expect } from "vitest";
import { type Answered, type Asked, type Member, startTestPicket, type TestPicket } from "./picket.ts";

interface Front {
  readonly service: TestPicket;
  readonly owner: Member;
  readonly key: string;
  /** With the owner's key, unless `asked` says otherwise. */
  ask(method: string, path: string, body?: unknown, asked?: Asked): Promise<Answered>;
  /** Registers an asset; its id. */
  made(body: object): Promise<string>;
}

/** Call at the top of the file: it is started before the file's tests and stopped after them. */
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

/** Status and code. */
export const says = ({ status, body }: Answered) => [status, body?.code ?? "ok"];
