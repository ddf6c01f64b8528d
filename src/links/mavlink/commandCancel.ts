/**
 * COMMAND_CANCEL (80): asks a vehicle to drop a command that it answered IN_PROGRESS. The vehicle answers with an ack of that
 * command. Defined here because node-mavlink lacks it; layout and checksum seed are those of mavlink `common.xml`.
 */
import { MavLinkData, MavLinkPacketField } from "node-mavlink";

export class CommandCancel extends MavLinkData {
  static override readonly MSG_ID = 80;
  static override readonly MSG_NAME = "COMMAND_CANCEL";
  static override readonly PAYLOAD_LENGTH = 4;
  static override readonly MAGIC_NUMBER = 14;
  static override readonly FIELDS = [
    new MavLinkPacketField("command", "command", 0, false, 2, "uint16_t", ""),
    new MavLinkPacketField("target_system", "targetSystem", 2, false, 1, "uint8_t", ""),
    new MavLinkPacketField("target_component", "targetComponent", 3, false, 1, "uint8_t", ""),
  ];
  command = 0;
  targetSystem = 0;
  targetComponent = 0;
}
