/** Part of the kernel's build (asconfig.json): writes a hash of the memory layout into the binary, which the host compares. */
import { LAYOUT_SECTION, layoutHash } from "../src/tracker/kernel/build.ts";

export default {
  afterCompile(module) {
    module.addCustomSection(LAYOUT_SECTION, new TextEncoder().encode(layoutHash()));
  },
};
