/**
 * A transponder's address and the code that its pilot set. Receivers write an address as six hexadecimal digits, with a `~`
 * before one that ICAO did not assign (TIS-B, ADS-R, anonymous ones). readsb's SBS-1 output has its internal number instead of
 * the `~`, in which the bit above the 24 is set (MODES_NON_ICAO_ADDRESS): seven digits, the first a 1.
 */
export interface TransponderAddress {
  /** As in observations: lower case, with the `~`. */
  readonly icao: string;
  readonly address_kind: "icao" | "non_icao";
}

/** null: it is not an address. */
export function readAddress(text: string): TransponderAddress | null {
  const [, mark, digits] = /^(~|1)?([0-9a-f]{6})$/.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined) return null;
  return mark === undefined ? { icao: digits, address_kind: "icao" } : { icao: `~${digits}`, address_kind: "non_icao" };
}

/** Four octal digits; null: it is not a code. */
export function readSquawk(text: unknown): string | null {
  const code = typeof text === "string" ? text.trim() : "";
  return /^[0-7]{4}$/.test(code) ? code : null;
}
