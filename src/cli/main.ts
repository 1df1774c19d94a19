/** Runs the program with these arguments and says its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (!args.includes("--version")) return 2;
  console.log(__VERSION__);
  return 0;
}
