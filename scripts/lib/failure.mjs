/** An error whose message is all that a person needs: it is printed without a stack trace. */
export class Failure extends Error {}

/** Runs `main`; a failure becomes one sentence on stderr and exit code 1. */
export async function exitOnFailure(main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exit(1);
  }
}
