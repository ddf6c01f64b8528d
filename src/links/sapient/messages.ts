/**
 * The SAPIENT messages (BSI Flex 335 v2.0) that we use, written from the published field numbers
 * (github.com/dstl/SAPIENT-Proto-Files) and given to the protobuf runtime as descriptors. Fields that we neither read nor write
 * are left out: the wire format skips them. Enumerations are plain numbers, named where they are used.
 */
import { create, createFileRegistry, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { assert } from "../../lib/assert.ts";

/** Name, number, type, and "many" or the name of the field's oneof. */
type Row = readonly [name: string, number: number, type: string, more?: string];

const MESSAGES: Readonly<Record<string, readonly Row[]>> = {
  Timestamp: [
    ["seconds", 1, "int64"],
    ["nanos", 2, "int32"],
  ],
  SapientMessage: [
    ["timestamp", 1, "Timestamp"],
    ["node_id", 2, "string"],
    ["destination_id", 3, "string"],
    ["registration", 4, "Registration", "content"],
    ["registration_ack", 5, "RegistrationAck", "content"],
    ["status_report", 6, "StatusReport", "content"],
    ["detection_report", 7, "DetectionReport", "content"],
    ["task", 8, "Task", "content"],
    ["task_ack", 9, "TaskAck", "content"],
    ["alert", 10, "Alert", "content"],
    ["alert_ack", 11, "AlertAck", "content"],
    ["error", 12, "Error", "content"],
  ],
  Registration: [
    ["node_definition", 1, "NodeDefinition", "many"],
    ["icd_version", 2, "string"],
    ["name", 3, "string"],
    ["short_name", 4, "string"],
    ["status_definition", 6, "StatusDefinition"],
    ["mode_definition", 7, "ModeDefinition", "many"],
    ["config_data", 10, "ConfigurationData", "many"],
  ],
  NodeDefinition: [["node_type", 1, "int32"]],
  ModeDefinition: [["mode_name", 1, "string"]],
  StatusDefinition: [["status_interval", 1, "Duration"]],
  Duration: [
    ["units", 1, "int32"],
    ["value", 3, "float"],
  ],
  ConfigurationData: [
    ["manufacturer", 1, "string"],
    ["model", 2, "string"],
    ["serial_number", 3, "string"],
  ],
  RegistrationAck: [
    ["acceptance", 1, "bool"],
    ["ack_response_reason", 3, "string", "many"],
  ],
  StatusReport: [
    ["report_id", 1, "string"],
    ["system", 2, "int32"],
    ["info", 3, "int32"],
    ["active_task_id", 4, "string"],
    ["mode", 5, "string"],
    ["power", 6, "Power"],
    ["node_location", 7, "Location"],
    ["status", 11, "Status", "many"],
  ],
  Power: [
    ["level", 3, "int32"],
    ["source", 4, "int32"],
    ["status", 5, "int32"],
  ],
  Status: [
    ["status_level", 1, "int32"],
    ["status_value", 3, "string"],
    ["status_type", 4, "int32"],
  ],
  Location: [
    ["x", 1, "double"],
    ["y", 2, "double"],
    ["z", 3, "double"],
    ["x_error", 4, "double"],
    ["y_error", 5, "double"],
    ["z_error", 6, "double"],
    ["coordinate_system", 7, "int32"],
    ["datum", 8, "int32"],
  ],
  LocationList: [["locations", 1, "Location", "many"]],
  RangeBearing: [
    ["elevation", 1, "double"],
    ["azimuth", 2, "double"],
    ["range", 3, "double"],
    ["elevation_error", 4, "double"],
    ["azimuth_error", 5, "double"],
    ["range_error", 6, "double"],
    ["coordinate_system", 7, "int32"],
    ["datum", 8, "int32"],
  ],
  RangeBearingCone: [
    ["elevation", 1, "double"],
    ["azimuth", 2, "double"],
    ["range", 3, "double"],
    ["horizontal_extent", 4, "double"],
    ["coordinate_system", 11, "int32"],
    ["datum", 12, "int32"],
  ],
  LocationOrRangeBearing: [
    ["range_bearing", 1, "RangeBearingCone", "fov_oneof"],
    ["location_list", 2, "LocationList", "fov_oneof"],
  ],
  DetectionReport: [
    ["report_id", 1, "string"],
    ["object_id", 2, "string"],
    ["task_id", 3, "string"],
    ["state", 4, "string"],
    ["range_bearing", 5, "RangeBearing", "location_oneof"],
    ["location", 6, "Location", "location_oneof"],
    ["detection_confidence", 7, "float"],
    ["classification", 11, "Classification", "many"],
    ["behaviour", 12, "Behaviour", "many"],
    ["signal", 14, "Signal", "many"],
  ],
  Classification: [
    ["type", 1, "string"],
    ["confidence", 2, "float"],
    ["sub_class", 3, "SubClass", "many"],
  ],
  SubClass: [
    ["type", 1, "string"],
    ["confidence", 2, "float"],
    ["level", 3, "int32"],
  ],
  Behaviour: [
    ["type", 1, "string"],
    ["confidence", 2, "float"],
  ],
  Signal: [
    ["amplitude", 1, "float"],
    ["start_frequency", 2, "float"],
    ["centre_frequency", 3, "float"],
    ["stop_frequency", 4, "float"],
    ["pulse_duration", 5, "float"],
  ],
  Task: [
    ["task_id", 1, "string"],
    ["task_name", 2, "string"],
    ["task_description", 3, "string"],
    ["control", 6, "int32"],
    ["command", 8, "Command"],
  ],
  Command: [
    ["request", 1, "string", "command"],
    ["detection_threshold", 2, "int32", "command"],
    ["detection_report_rate", 3, "int32", "command"],
    ["classification_threshold", 4, "int32", "command"],
    ["mode_change", 5, "string", "command"],
    ["look_at", 6, "LocationOrRangeBearing", "command"],
  ],
  TaskAck: [
    ["task_id", 1, "string"],
    ["task_status", 2, "int32"],
    ["reason", 5, "string", "many"],
  ],
  Alert: [
    ["alert_id", 1, "string"],
    ["alert_type", 2, "int32"],
    ["status", 3, "int32"],
    ["description", 4, "string"],
  ],
  AlertAck: [
    ["alert_id", 1, "string"],
    ["reason", 4, "string", "many"],
    ["alert_ack_status", 5, "int32"],
  ],
  Error: [
    ["packet", 1, "bytes"],
    ["error_message", 3, "string", "many"],
  ],
};

const PACKAGE = "sapient_msg.bsi_flex_335_v2_0";
const SCALARS: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  double: FieldDescriptorProto_Type.DOUBLE,
  float: FieldDescriptorProto_Type.FLOAT,
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
};

/** Fields that are neither repeated nor in a oneof are `optional`, so that absent differs from zero. */
function messageType(name: string, rows: readonly Row[]) {
  const oneofs = [...new Set(rows.flatMap(([, , , more]) => (more === undefined || more === "many" ? [] : [more])))];
  const optional = rows.filter(([, , , more]) => more === undefined).map(([field]) => `_${field}`);
  const decls = [...oneofs, ...optional];
  return {
    name,
    oneofDecl: decls.map((decl) => ({ name: decl })),
    field: rows.map(([field, number, type, more]) => {
      const scalar = SCALARS[type];
      const shape = {
        name: field,
        number,
        label: more === "many" ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
        type: scalar ?? FieldDescriptorProto_Type.MESSAGE,
        ...(scalar === undefined ? { typeName: `.${PACKAGE}.${type}` } : {}),
      };
      if (more === "many") return shape;
      const isOptional = more === undefined;
      return {
        ...shape,
        oneofIndex: decls.indexOf(more ?? `_${field}`),
        ...(isOptional ? { proto3Optional: true } : {}),
      };
    }),
  };
}

function describe(): FileDescriptorProto {
  return create(FileDescriptorProtoSchema, {
    name: "sapient.proto",
    package: PACKAGE,
    syntax: "proto3",
    messageType: Object.entries(MESSAGES).map(([name, rows]) => messageType(name, rows)),
  });
}

const registry = createFileRegistry(describe(), () => undefined);
const schema = registry.getMessage(`${PACKAGE}.SapientMessage`);
assert(schema !== undefined, "the descriptors include SapientMessage");
const SapientMessage = schema;

/** A message in the runtime's form: names in camel case, a oneof as { case, value }. */
export type Fields = { readonly [name: string]: unknown };
export interface Content {
  readonly case: string;
  readonly value: Fields;
}
export interface Decoded {
  readonly nodeId: string;
  readonly atMs: number | null;
  readonly content: Content;
}

/** null: not a SAPIENT message, or one without content or node id. */
export function decodeMessage(bytes: Uint8Array): Decoded | null {
  let message: Fields;
  try {
    message = fromBinary(SapientMessage, bytes) as unknown as Fields;
  } catch {
    return null;
  }
  const content = message.content as Partial<Content> | undefined;
  const nodeId = message.nodeId;
  if (typeof nodeId !== "string" || nodeId === "" || content?.case === undefined) return null;
  return { nodeId, atMs: timeMs(message.timestamp as Fields | undefined), content: content as Content };
}

function timeMs(timestamp: Fields | undefined): number | null {
  if (timestamp === undefined || typeof timestamp.seconds !== "bigint") return null;
  const ms = Number(timestamp.seconds) * 1000 + Number(timestamp.nanos ?? 0) / 1e6;
  return Number.isFinite(ms) && Math.abs(ms) < 8e15 ? ms : null;
}

/** Nested values are plain objects; a oneof is { case, value }. */
export function encodeMessage(
  nodeId: string,
  destinationId: string | null,
  atMs: number,
  content: Content,
): Uint8Array {
  const message = create(SapientMessage, {
    timestamp: { seconds: BigInt(Math.floor(atMs / 1000)), nanos: Math.round((atMs % 1000) * 1e6) },
    nodeId,
    ...(destinationId === null ? {} : { destinationId }),
    content,
  } as never) as Message;
  return toBinary(SapientMessage, message);
}
