export default {
  fetch(request, environment) {
    const { host, pathname } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("x-asked-host", host);
    const { method, body } = request;
    return fetch(environment.RECEIVER + pathname, { method, headers, body });
  },

  async queue(batch, environment) {
    for (const { body } of batch.messages) {
      await fetch(`${environment.RECEIVER}/${batch.queue}`, { method: "POST", body });
    }
  },
};
