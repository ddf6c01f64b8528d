/**
 * Splits a byte stream into events, which follow each other with or without an XML header between them. Reads only as much
 * XML as is needed to find the end of an event: comments, CDATA sections and processing instructions may contain anything,
 * and another tag may begin like ours. Elsewhere a `<` begins a tag, so after broken input it goes on at the next event; what
 * it skips is counted.
 */
import { StringDecoder } from "node:string_decoder";
import { EVENT_BYTES_MAX } from "./read.ts";

const TOKEN = /<!--|<!\[CDATA\[|<\?|<event(?=[\s/>])|<\/event\s*>/g;
/** Longest token; `</event >` may contain spaces. */
const TOKEN_CHARACTERS_MAX = 64;
const END_OF: Readonly<Record<string, string>> = { "<!--": "-->", "<![CDATA[": "]]>", "<?": "?>" };

export class EventSplitter {
  /** Joins characters that are split between two packets. */
  readonly #decoder = new StringDecoder("utf8");
  /** Input after the last whole event. */
  #rest = "";
  /** How much of `#rest` was searched. */
  #seen = 0;
  /** Where in `#rest` an event begins; -1: nowhere yet. */
  #start = -1;
  /** How much of the input before an event was checked for being headers and space only. */
  #judged = 0;
  #isJunk = false;
  bad = 0;

  push(piece: Buffer): string[] {
    this.#rest += this.#decoder.write(piece);
    const events: string[] = [];
    for (let token = this.#next(); token !== null; token = this.#next()) {
      const [text] = token;
      if (this.#start === -1) this.#judge(token.index, text === "<![CDATA[");
      if (text === "<event") this.#begin(token.index);
      else if (text.startsWith("</")) this.#end(token.index + text.length, events);
      else if (!this.#skip(token.index, text.length, END_OF[text]!)) break;
    }
    if (this.#rest.length > EVENT_BYTES_MAX) {
      this.bad++;
      this.#forget(this.#rest.length);
    }
    return events;
  }

  /** The input ends, as after a datagram: an event that is not complete is bad. */
  finish(): void {
    this.#judge(this.#rest.length, false);
    if (this.#start !== -1 || this.#isJunk) this.bad++;
    this.#forget(this.#rest.length);
  }

  #next(): RegExpExecArray | null {
    TOKEN.lastIndex = this.#seen;
    const token = TOKEN.exec(this.#rest);
    if (token !== null) return token;
    // A token that is split between two packets begins at the last `<`. Do not search again what is before it.
    const from = Math.max(this.#seen, this.#rest.length - TOKEN_CHARACTERS_MAX);
    const last = this.#rest.slice(from).lastIndexOf("<");
    this.#seen = last === -1 ? this.#rest.length : from + last;
    return null;
  }

  /** Checks the text before an event up to `index`. */
  #judge(index: number, isText: boolean): void {
    this.#isJunk ||= isText || this.#rest.slice(this.#judged, index).trim() !== "";
    this.#judged = index;
  }

  #begin(index: number): void {
    // An event that begins inside another means that the first has no end. A document type stays with its event, so that the
    // reader refuses both.
    const isTyped = this.#start === -1 && /<!DOCTYPE/i.test(this.#rest.slice(0, index));
    if (this.#start !== -1 || (this.#isJunk && !isTyped)) this.bad++;
    const from = isTyped ? 0 : index;
    this.#forget(from);
    this.#start = 0;
    this.#seen = index - from + 1;
  }

  #end(index: number, events: string[]): void {
    if (this.#start === -1 || index > EVENT_BYTES_MAX) this.bad++;
    else events.push(this.#rest.slice(0, index));
    this.#forget(index);
  }

  /** Skips to the ending. false: it has not arrived yet. */
  #skip(index: number, length: number, ending: string): boolean {
    const end = this.#rest.indexOf(ending, index + length);
    this.#seen = end === -1 ? index : end + ending.length;
    this.#judged = this.#seen;
    return end !== -1;
  }

  #forget(length: number): void {
    this.#rest = this.#rest.slice(length);
    this.#seen = 0;
    this.#start = -1;
    this.#judged = 0;
    this.#isJunk = false;
  }
}
