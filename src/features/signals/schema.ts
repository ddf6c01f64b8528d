/** The answer to a push of signals (docs/interface.md#answer-of-a-push). */
import { Type } from "typebox";
import { Shape } from "../../domain/shape.ts";
import { SIGNALS_REJECTED_SHOWN_MAX } from "../../limits.ts";

const Count = Type.Integer({ minimum: 0 });

export const SignalsReply = Shape("SignalsReply", {
  accepted: Type.Integer({ minimum: 0, description: "observations that wait for the next step of the tracker" }),
  duplicates: Type.Integer({
    minimum: 0,
    description:
      "observations whose id, or whose scan's id, was accepted before, and all but the last of one aircraft in one scan",
  }),
  late: Type.Integer({ minimum: 0, description: "older than max_lag_s: counted, not fused" }),
  quarantined: Type.Integer({ minimum: 0, description: "more than a second in the future" }),
  rejected: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: "the observation, the NDJSON line or the scan, from 0" }),
      detection: Type.Optional(Type.Integer({ minimum: 0, description: "inside the scan, from 0" })),
      code: Type.Enum([
        "unknown_source",
        "bad_geometry",
        "modality_mismatch",
        "environment_mismatch",
        "invalid_input",
      ] as const),
      error: Type.String(),
    }),
    { maxItems: SIGNALS_REJECTED_SHOWN_MAX, description: `the first ${SIGNALS_REJECTED_SHOWN_MAX}` },
  ),
  rejected_count: Count,
  unknown_members: Type.Integer({ minimum: 0, description: "unknown members; they were ignored" }),
  tick: Type.Integer({ minimum: 0, description: "the step of the tracker that fuses what was accepted" }),
});
