/** The part of WebAssembly's JavaScript interface that we use: @types/node leaves it to the browser's library, which we do not want. */
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>;
  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static exports(module: Module): { name: string; kind: string }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    // biome-ignore lint/suspicious/noExplicitAny: exports are typed where they are loaded
    readonly exports: Record<string, any>;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Global {
    value: number | bigint;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
