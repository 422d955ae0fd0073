//! Who may call.

use worker::{Env, Headers};

use crate::problem::Problem;

/// Lets a caller pass who shows the token of a secret, such as `API_TOKEN`. Without that secret nobody passes.
pub(crate) fn check(headers: &Headers, env: &Env, secret: &str) -> Result<(), Problem> {
    let expected = env.secret(secret).map(|secret| secret.to_string()).unwrap_or_default();
    if expected.is_empty() {
        worker::console_error!("the secret {secret} is not set: every caller is refused");
        return Err(refused());
    }
    let header = headers.get("authorization")?.unwrap_or_default();
    match bearer(&header) {
        Some(token) if same(token.as_bytes(), expected.as_bytes()) => Ok(()),
        _ => Err(refused()),
    }
}

fn refused() -> Problem {
    Problem::new(401, "show the token: Authorization: Bearer <token>")
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares without telling by its time how much of the token was right.
fn same(given: &[u8], expected: &[u8]) -> bool {
    let differences = (0..expected.len()).fold(0, |sum, i| sum | (given.get(i).copied().unwrap_or(0) ^ expected[i]));
    given.len() == expected.len() && std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        assert_eq!(bearer("Bearer secret"), Some("secret"));
        assert_eq!(bearer("bearer  secret "), Some("secret"));
        for header in ["", "Bearer", "secret", "Basic secret"] {
            assert_eq!(bearer(header), None, "{header}");
        }
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        assert!(same(b"secret", b"secret"));
        for given in ["", "secre", "secrets", "Secret", "sekret"] {
            assert!(!same(given.as_bytes(), b"secret"), "{given}");
        }
    }
}
