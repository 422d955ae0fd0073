// A worker for the harness's own tests: it stores a note, and its alarm calls a receiver.
export class Diary {
  constructor(state) {
    this.storage = state.storage;
  }

  async fetch(request) {
    if (request.method === "PUT") {
      const { note, alarmInMs, receiver } = await request.json();
      this.storage.put("note", note);
      this.storage.put("receiver", receiver);
      if (alarmInMs !== undefined) this.storage.setAlarm(Date.now() + alarmInMs);
      await this.storage.sync();
    }
    return Response.json({ note: await this.storage.get("note"), alarm: await this.storage.getAlarm() });
  }

  async alarm() {
    console.log("alarm");
    await fetch(await this.storage.get("receiver"), { method: "POST", body: await this.storage.get("note") });
  }
}

export default {
  fetch(request, environment) {
    const name = new URL(request.url).pathname;
    return environment.DIARY.get(environment.DIARY.idFromName(name)).fetch(request);
  },
};
