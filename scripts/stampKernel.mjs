/** Part of the kernel's build (asconfig.json): writes into the binary which layout it was built from, for its host to compare. */
import { LAYOUT_SECTION, layoutHash } from "../src/tracker/kernel/build.ts";

export default {
  afterCompile(module) {
    module.addCustomSection(LAYOUT_SECTION, new TextEncoder().encode(layoutHash()));
  },
};
