//! The body of `POST /deliveries`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{options::Options, problem::Problem, target};

/// The largest body that is accepted, in bytes.
pub(crate) const MAX_BODY: usize = 256 * 1024;

/// What is stored of a delivery: all that an attempt needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Webhook {
    pub(crate) url: String,
    /// The payload as the caller wrote it, to the byte.
    pub(crate) payload: String,
    pub(crate) options: Options,
}

impl Webhook {
    pub(crate) fn parse(body: &[u8], allow_private: bool) -> Result<Self, Problem> {
        let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(body).map_err(|error| {
            Problem::field("body", format_args!("must be a JSON object {{url, payload, policy?}}: {error}"))
        })?;
        if let Some(unknown) = fields.keys().find(|name| !matches!(name.as_str(), "url" | "payload" | "policy")) {
            return Err(Problem::field(unknown, "is not a field: use url, payload or policy"));
        }
        let field = |name: &str| fields.get(name).map(|raw| raw.get());
        let required = |name: &str| field(name).ok_or_else(|| Problem::field(name, "is missing"));

        let url: String =
            serde_json::from_str(required("url")?).map_err(|_| Problem::field("url", "must be a string"))?;
        let url = target::check(&url, allow_private)?;
        let payload = required("payload")?.to_owned();
        let options = match field("policy") {
            None => Options::default(),
            Some(policy) => {
                let policy: Value = serde_json::from_str(policy)
                    .map_err(|error| Problem::field("policy", format_args!("is unreadable: {error}")))?;
                Options::parse(&policy)?
            }
        };
        Ok(Self { url: url.into(), payload, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_is_kept_to_the_byte() {
        let body =
            br#"{ "url": "https://example.com", "payload": { "b": 1.0, "a" : 12345678901234567890, "b":"\u00e9" } }"#;
        let webhook = Webhook::parse(body, false).unwrap();
        assert_eq!(webhook.payload, r#"{ "b": 1.0, "a" : 12345678901234567890, "b":"\u00e9" }"#);
        assert_eq!(webhook.url, "https://example.com/");
        assert_eq!(webhook.options, Options::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (body, field) in [
            ("", "body"),
            ("not json", "body"),
            ("[]", "body"),
            ("{\"url\":\"https://example.com\",\"payload\":1} x", "body"),
            ("{\"payload\":1}", "url"),
            ("{\"url\":7,\"payload\":1}", "url"),
            ("{\"url\":\"gopher://example.com\",\"payload\":1}", "url"),
            ("{\"url\":\"https://example.com\"}", "payload"),
            ("{\"url\":\"https://example.com\",\"payload\":1,\"polcy\":{}}", "polcy"),
            ("{\"url\":\"https://example.com\",\"payload\":1,\"policy\":{\"factor\":0}}", "policy.factor"),
        ] {
            let problem = Webhook::parse(body.as_bytes(), false).expect_err(body);
            assert_eq!((problem.status, problem.field.as_deref()), (400, Some(field)), "{body}");
        }
        assert!(Webhook::parse(b"\xff\xfe", false).is_err());
    }
}
