/**
 * Events out of what a far end sends, in which they follow each other with or without an XML header between. Only as much of
 * XML is read as says where an event ends: comments, CDATA sections and processing instructions may hold anything, and a
 * tag of another name may begin like ours. Elsewhere a `<` begins a tag, so a piece that is broken costs what is between
 * it and the next event, and that is counted.
 */
import { StringDecoder } from "node:string_decoder";
import { EVENT_BYTES_MAX } from "./read.ts";

const TOKEN = /<!--|<!\[CDATA\[|<\?|<event(?=[\s/>])|<\/event\s*>/g;
/** `</event >` has as much space in it as fits. */
const TOKEN_CHARACTERS_MAX = 64;
const END_OF: Readonly<Record<string, string>> = { "<!--": "-->", "<![CDATA[": "]]>", "<?": "?>" };

export class EventSplitter {
  /** A character may lie over the border of two packets. */
  readonly #decoder = new StringDecoder("utf8");
  /** What follows the last whole event. */
  #rest = "";
  /** So much of it was looked through. */
  #seen = 0;
  /** Where in it an event begins; -1: none does yet. */
  #start = -1;
  /** Before an event: so much of it is headers and space, or known to be neither. */
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

  /** Nothing more comes, as after a datagram: what is no whole event is none. */
  finish(): void {
    this.#judge(this.#rest.length, false);
    if (this.#start !== -1 || this.#isJunk) this.bad++;
    this.#forget(this.#rest.length);
  }

  #next(): RegExpExecArray | null {
    TOKEN.lastIndex = this.#seen;
    const token = TOKEN.exec(this.#rest);
    if (token !== null) return token;
    // One that lies over the border of two packets begins at the last `<`. What is before is not looked through again.
    const from = Math.max(this.#seen, this.#rest.length - TOKEN_CHARACTERS_MAX);
    const last = this.#rest.slice(from).lastIndexOf("<");
    this.#seen = last === -1 ? this.#rest.length : from + last;
    return null;
  }

  /** Of text before an event, up to here. */
  #judge(index: number, isText: boolean): void {
    this.#isJunk ||= isText || this.#rest.slice(this.#judged, index).trim() !== "";
    this.#judged = index;
  }

  #begin(index: number): void {
    // No end came of an event in which another begins. A document type is left with its event: the reader refuses both.
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

  /** False: its end has not come yet. */
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
