//! Placeholder: proves that a Durable Object's storage and alarm survive a crash of the runtime.

use worker::*;

/// One stored value and one alarm, which records when it fired.
#[durable_object]
pub struct Delivery {
    state: State,
}

impl DurableObject for Delivery {
    fn new(state: State, _env: Env) -> Self {
        Self { state }
    }

    async fn fetch(&self, request: Request) -> Result<Response> {
        let storage = self.state.storage();
        if request.method() == Method::Put {
            let url = request.url()?;
            for (name, value) in url.query_pairs() {
                match name.as_ref() {
                    "value" => storage.put("value", value.as_ref()).await?,
                    "alarm_in_ms" => {
                        let delay: i64 = value.parse().map_err(|_| Error::from("alarm_in_ms is not a number"))?;
                        storage.set_alarm(delay).await?;
                    }
                    _ => {}
                }
            }
        }
        let value: Option<String> = storage.get("value").await?;
        let alarms_fired: u32 = storage.get("alarms_fired").await?.unwrap_or(0);
        let due: Option<i64> = storage.get_alarm().await?;
        Response::from_json(&(value, alarms_fired, due))
    }

    async fn alarm(&self) -> Result<Response> {
        let storage = self.state.storage();
        let fired: u32 = storage.get("alarms_fired").await?.unwrap_or(0);
        storage.put("alarms_fired", fired + 1).await?;
        Response::ok("")
    }
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response> {
    let path = request.path();
    let Some(name) = path.strip_prefix("/placeholder/") else {
        return Response::error("not found", 404);
    };
    let stub = env.durable_object("DELIVERY")?.get_by_name(name)?;
    stub.fetch_with_request(request).await
}
