/**
 * What a transponder is called by: its address and the code that its pilot set. Receivers write an address as six
 * hexadecimal digits, with a `~` before one that is none of ICAO's (TIS-B, ADS-R, anonymous ones). readsb's SBS-1 output
 * writes its internal number instead of the `~`, in which such an address has the bit above the 24 set
 * (MODES_NON_ICAO_ADDRESS): seven digits, the first a 1.
 */
export interface TransponderAddress {
  /** As observations have it: `~` and all, in small letters. */
  readonly icao: string;
  readonly address_kind: "icao" | "non_icao";
}

/** null: it is none. */
export function readAddress(text: string): TransponderAddress | null {
  const [, mark, digits] = /^(~|1)?([0-9a-f]{6})$/.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined) return null;
  return mark === undefined ? { icao: digits, address_kind: "icao" } : { icao: `~${digits}`, address_kind: "non_icao" };
}

/** Four octal digits; null: it is no such code. */
export function readSquawk(text: unknown): string | null {
  const code = typeof text === "string" ? text.trim() : "";
  return /^[0-7]{4}$/.test(code) ? code : null;
}
