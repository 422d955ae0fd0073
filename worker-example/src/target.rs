//! Which receivers may be called.

use std::net::{Ipv4Addr, Ipv6Addr};

use worker::url::{Host, Url};

use crate::problem::Problem;

/// The longest url, in bytes: longer ones the platform does not send.
const MAX_URL: usize = 8 * 1024;

/// The url of a delivery, if it may be called: http or https, no credentials, and no private or loopback target unless
/// `allow_private`. A public name that resolves to a private address is for the platform to stop: Workers reach the
/// public internet only.
pub(crate) fn check(url: &str, allow_private: bool) -> Result<Url, Problem> {
    let problem = |must: &str| Problem::field("url", must);
    if url.len() > MAX_URL {
        return Err(problem(&format!("must be at most {MAX_URL} bytes")));
    }
    let url = Url::parse(url).map_err(|error| problem(&format!("must be an absolute http or https URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(problem(&format!("must be http or https, got {}:", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(problem("must not carry credentials"));
    }
    let public = match url.host() {
        Some(Host::Domain(name)) => is_public_name(name),
        Some(Host::Ipv4(address)) => is_public_v4(address),
        Some(Host::Ipv6(address)) => is_public_v6(address),
        None => false,
    };
    if public || allow_private { Ok(url) } else { Err(problem("must not be a private or loopback target")) }
}

/// Names that a public resolver does not serve: single labels and the special-use domains of RFC 6761 and its kin.
fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let special = [
        "localhost",
        "localdomain",
        "local",
        "internal",
        "intranet",
        "intra",
        "private",
        "svc",
        "lan",
        "home",
        "corp",
        "home.arpa",
        "onion",
        "test",
        "invalid",
    ];
    let is_special = |suffix: &&str| name == **suffix || name.ends_with(&format!(".{suffix}"));
    name.contains('.') && !special.iter().any(is_special)
}

/// The IANA special-purpose registry for IPv4, less what is public.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127, ..)
            | (100, 64..=127, _)
            | (168, 63, 129) // Azure's host services
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224..=255, ..)
    )
}

/// Global unicast IPv6, less its special blocks; an address that carries an IPv4 one is judged by that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(embedded(high, low)),
        [0x2002, high, low, ..] => is_public_v4(embedded(high, low)),
        [0, 0, 0, 0, 0, 0xffff, high, low] => is_public_v4(embedded(high, low)),
        [.., 0 | 0x200, 0x5efe, high, low] => is_public_v4(embedded(high, low)), // ISATAP, RFC 5214
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_targets_pass() {
        for url in [
            "https://example.com/hook?x=1",
            "http://example.com:8080",
            "https://8.8.8.8/",
            "https://172.32.0.1/",
            "https://[2606:4700::1111]/",
            "https://[64:ff9b::808:808]/",
        ] {
            assert!(check(url, false).is_ok(), "{url}");
        }
    }

    #[test]
    fn private_targets_are_refused_however_they_are_written() {
        for url in [
            "http://localhost/",
            "http://LOCALHOST./",
            "http://api.localhost/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://intranet/",
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://0.0.0.0/",
            "http://10.1.2.3/",
            "http://100.64.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://224.0.0.1/",
            "http://255.255.255.255/",
            "http://[::]/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:a00:1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[fc00::1]/",
            "http://[fe80::1]/",
            "http://[ff02::1]/",
            "http://[2001:db8::1]/",
            "http://[2001:470::5efe:7f00:1]/",
            "http://168.63.129.16/",
            "http://db.default.svc/",
        ] {
            let problem = check(url, false).expect_err(url);
            assert_eq!(problem.field.as_deref(), Some("url"), "{url}");
            assert!(problem.message.contains("private or loopback"), "{url}: {}", problem.message);
            assert!(check(url, true).is_ok(), "{url} in development");
        }
    }

    #[test]
    fn what_is_no_web_url_is_refused_in_development_too() {
        for url in ["", "example.com", "/hook", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)"] {
            assert_eq!(check(url, true).expect_err(url).field.as_deref(), Some("url"), "{url}");
        }
        assert!(check("https://user:secret@example.com/", true).unwrap_err().message.contains("credentials"));
    }
}
