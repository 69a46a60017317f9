// The types of last-word.mjs, whose comments say what is meant.
export interface Where { home?: string; program?: string }
export interface Enqueued { ids: string[]; dropped: string | null }
export interface Entry {
  key: { kb?: string; path?: string; url?: string; heading?: string | string[]; level?: number; item?: string };
  operation?: string;
  content?: string | null;
  meta?: Record<string, unknown>;
  [further: string]: unknown;
}
export interface Declaration { version?: "1.0.0"; source?: string; entries: Entry[] }
export class LastWordError extends Error {
  constructor(kind: string, reason: string, hint?: string);
  kind: "refused" | "busy" | "missing" | "unsure" | "usage" | "failed";
  reason: string;
  hint?: string;
}
export function enqueue(what: Entry | Entry[] | Declaration, options?: Where & { key?: string }): Enqueued;
export function verify(id: string, options?: Where): Record<string, any> & { fate: string };
export function wait(id: string, options?: Where & { timeoutS?: number }): Promise<Record<string, any> & { fate: string }>;
