/** Variables of a local run. None of them belongs in wrangler.toml: a deployment must not have them. */
export const developmentVariables = {
  API_TOKEN: "local-development-token",
  ADMIN_TOKEN: "local-administrator-token",
  ALLOW_PRIVATE_TARGETS: "true",
  DEMO_RECEIVER: "true",
  // BREAKER=object npm start
  ...(process.env.BREAKER && { BREAKER: process.env.BREAKER }),
};
