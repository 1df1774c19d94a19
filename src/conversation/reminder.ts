/** Whether a client inserted this text into a user message, wrapped in a tag (`<system-reminder>`). */
export function isReminder(text: string): boolean {
  const trimmed = text.trim();
  return /^<[\w-]{1,60}>/.test(trimmed) && /<\/[\w-]{1,60}>$/.test(trimmed.slice(-64));
}
