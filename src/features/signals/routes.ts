/** POST /api/signals: the edge of the ingest path. The observations are checked and accepted in intake.ts. */
import { isRefusal } from "../../domain/errors.ts";
import { SignalsBody } from "../../domain/observation.ts";
import { type Route, route } from "../../http/route.ts";
import { SIGNALS_BODY_BYTES_MAX, SIGNALS_OBSERVATIONS_MAX } from "../../limits.ts";
import { SignalsIntake } from "./intake.ts";
import { JSON_TYPE, MESSAGE_PACK_TYPE, NDJSON_TYPE, parseSignals } from "./parse.ts";
import { SignalsReply } from "./schema.ts";

const RETRY_AFTER = { "Retry-After": "1" };

const DESCRIPTION = `Pushes what sensors saw into the workspace; the tracker fuses it at its next step.

Three forms: one observation; \`{"signals": [observation, ...]}\`; \`{"scans": [{source_id, modality, measured_at, scan_id?,
sensor_pose?, detections: [...]}]}\`, where an empty \`detections\` means that the sensor looked and saw nothing. As NDJSON: one
observation or scan per line. As MessagePack: the same shapes. Content-Encoding gzip is accepted.

Any source may push. A source that is not a registered sensor must send \`sensor_pose\`, unless it reports positions.
At most ${SIGNALS_OBSERVATIONS_MAX} observations a request (an empty scan counts as one). Unknown members are ignored and counted.
Magic numbers for "unknown" (361, 255, 63, -1000, 999999) become null.`;

export function signalRoutes(): Route[] {
  return [
    route({
      method: "POST",
      path: "/api/signals",
      access: "push",
      tag: "Signals",
      summary: "Push observations",
      description: DESCRIPTION,
      body: {
        raw: true,
        contentTypes: [JSON_TYPE, NDJSON_TYPE, MESSAGE_PACK_TYPE],
        bytesMax: SIGNALS_BODY_BYTES_MAX,
        gzip: true,
        schema: SignalsBody,
      },
      reply: { 200: SignalsReply },
      errors: ["invalid_input", "payload_too_large", "environment_mismatch", "overloaded"],
      handle({ body, request, room, refuse }) {
        const parsed = parseSignals(body, request.contentType);
        if (isRefusal(parsed)) return refuse(parsed);
        if (!room.hasRoomFor(parsed.weight)) {
          room.commit({ op: "call_refused" }, request.receivedAtMs);
          return refuse(
            "overloaded",
            "the tracker can take no more now; nothing of this request was taken",
            RETRY_AFTER,
          );
        }
        const intake = new SignalsIntake(room, request.receivedAtMs, parsed.unknownMembers);
        for (const item of parsed.items) intake.add(item);
        if (intake.failed) {
          intake.giveUp();
          if (intake.wrongEnvironment) return refuse("environment_mismatch", intake.first!.error);
          return refuse("invalid_input", intake.describeFirst());
        }
        return { status: 200, data: intake.finish() };
      },
    }),
  ];
}
