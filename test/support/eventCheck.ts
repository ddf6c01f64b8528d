/** Checks an event of a stream against the schema of its name; a member that the schema does not name is a fault. */
import { EVENT_DATA, type EventName } from "../../src/domain/events.ts";
import { type Check, compileCheck } from "../../src/http/validate.ts";

const checks = new Map<string, Check>();

function checkOf(name: EventName): Check {
  const known = checks.get(name);
  if (known !== undefined) return known;
  const made = compileCheck(EVENT_DATA[name], name);
  checks.set(name, made);
  return made;
}

/** null: it is as described. */
export function whyNotEvent({ event, data }: { readonly event: string; readonly data: unknown }): string | null {
  if (!Object.hasOwn(EVENT_DATA, event)) return `there is no event ${event}`;
  const check = checkOf(event as EventName);
  return check.check(data) ? null : check.explain(data);
}
