/** What `npm start` prints once the service answers. */
export function welcome(port, token) {
  const service = `http://127.0.0.1:${port}`;
  const authorization = `-H "authorization: Bearer ${token}"`;
  return `
The delivery service runs at ${service}
Ctrl-C ends it. Its data stays in .data/ and the next start goes on with it.

Paste these into another terminal.

1. Ask for a delivery to a receiver that fails twice before it accepts:

   ID=$(curl -s ${service}/deliveries ${authorization} \\
     -H "content-type: application/json" \\
     -d '{"url":"${service}/demo/receiver?failures=2","payload":{"hello":"world"},"policy":{"baseMs":2000,"factor":2}}' \\
     | sed -E 's/.*"id" *: *"([^"]+)".*/\\1/'); echo "$ID"

2. Watch it wait for its next attempt:

   curl -s ${service}/deliveries/$ID ${authorization}; echo

3. Ask again a few seconds later, when it has been delivered:

   curl -s ${service}/deliveries/$ID ${authorization}; echo
`;
}
