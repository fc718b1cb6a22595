//! Which addresses no public site can have.
//!
//! From the IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and what was added since),
//! judged for a fetcher that must never be talked into asking the network it runs in. The standard
//! library's view is not used: it is unstable, and takes multicast and several transition
//! mechanisms for global.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks of IPv4 as (network, prefix length, what it is).
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network, RFC 791"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private use, RFC 1918"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space, RFC 6598"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback, RFC 1122"),
    // Not in the registry: inside a virtual machine of that cloud it is the host's own service.
    (Ipv4Addr::new(168, 63, 129, 16), 32, "cloud platform service"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link local, RFC 3927"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private use, RFC 1918"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments, RFC 6890"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay anycast, RFC 7526"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private use, RFC 1918"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking, RFC 2544"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast, RFC 5771"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved, RFC 1112"),
];

/// Blocks of IPv6. The first that matches counts, so narrow ones stand before wide ones.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified, RFC 4291"),
    (Ipv6Addr::LOCALHOST, 128, "loopback, RFC 4291"),
    (Ipv6Addr::UNSPECIFIED, 96, "IPv4-compatible, RFC 4291"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "local NAT64, RFC 8215"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "discard only, RFC 6666"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "Teredo, RFC 4380"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments, RFC 2928"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation, RFC 3849"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation, RFC 9637"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "segment routing, RFC 9602"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique local, RFC 4193"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link local, RFC 4291"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site local, RFC 3879"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast, RFC 4291"),
];

/// Everything that is handed out for global use so far (RFC 4291 §2.4).
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// What makes `addr` one that no public site can have, or `None` for an ordinary public address.
///
/// Addresses that carry an IPv4 address which the packets end up at (mapped, NAT64, 6to4) are judged by
/// that one; IPv6 that nobody was given is refused.
pub fn special_purpose(addr: IpAddr) -> Option<&'static str> {
    match addr {
        IpAddr::V4(v4) => special_v4(v4),
        IpAddr::V6(v6) => special_v6(v6),
    }
}

fn special_v4(addr: Ipv4Addr) -> Option<&'static str> {
    V4.iter()
        .find(|(network, prefix, _)| (addr.to_bits() ^ network.to_bits()).leading_zeros() >= *prefix)
        .map(|(_, _, what)| *what)
}

fn special_v6(addr: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = embedded_v4(addr) {
        return special_v4(inner);
    }
    let within = |network: Ipv6Addr, prefix| (addr.to_bits() ^ network.to_bits()).leading_zeros() >= prefix;
    let listed = V6.iter().find(|(network, prefix, _)| within(*network, *prefix)).map(|(_, _, what)| *what);
    let unassigned = (!within(GLOBAL_UNICAST.0, GLOBAL_UNICAST.1)).then_some("not global unicast, RFC 4291");
    listed.or(unassigned)
}

/// The IPv4 address that packets to this one go to: `::ffff:0:0/96` (RFC 4291 §2.5.5.2),
/// `64:ff9b::/96` (RFC 6052), `2002::/16` (RFC 3056).
fn embedded_v4(addr: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = addr.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits((u32::from(high) << 16) | u32::from(low));
    match segments {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(v4(high, low)),
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let refused = "
            0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
            127.0.0.0 127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255
            172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.0
            192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.255 224.0.0.0 224.0.0.251
            239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
            :: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0
            64:ff9b::7f00:1 64:ff9b::10.1.2.3 64:ff9b::169.254.169.254 64:ff9b:1::1 64:ff9b:1::8.8.8.8
            100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:20::1 2001:30::1 2001:1ff:ffff::1
            2001:db8::1 2001:db8:ffff::1 2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::1 2002:a9fe:a9fe::
            3fff::1 3fff:fff:ffff::1 5f00::1 fc00::1 fd00:ec2::254 fdff:ffff::1 fe80::1 febf::1 fec0::1 feff::1
            ff02::1 ff0e::1 4000::1 8000::1 e000::1 fe00::1 1::1 64:ff9b:2::1 0:0:0:0:ffff:0:7f00:1
        ";
        let public = "
            1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
            168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.255
            192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 203.0.112.255 223.255.255.255
            ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1 2001:200::1 2001:4860:4860::8888
            2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700:4700::1111 2a00:1450::1 3ffe:ffff::1 3fff:1000::1
        ";
        for text in refused.split_whitespace() {
            assert!(special_purpose(text.parse().unwrap()).is_some(), "{text} is let through");
        }
        for text in public.split_whitespace() {
            assert_eq!(special_purpose(text.parse().unwrap()), None, "{text} is refused");
        }
    }

    /// Both ends of every block are in it, and the reason given is that block's own.
    #[test]
    fn blocks_are_named() {
        for (network, prefix, what) in V4 {
            let last = Ipv4Addr::from_bits(network.to_bits() | u32::MAX.checked_shr(*prefix).unwrap_or(0));
            assert_eq!(special_v4(*network), Some(*what));
            assert_eq!(special_v4(last), Some(*what));
        }
        for (network, prefix, what) in V6 {
            let last = Ipv6Addr::from_bits(network.to_bits() | u128::MAX.checked_shr(*prefix).unwrap_or(0));
            assert_eq!(special_v6(last), Some(*what));
        }
    }

    /// The spellings that a URL allows all become plain addresses before they are judged.
    #[test]
    fn spellings_of_loopback() {
        let hosts = [
            "0x7f.1",
            "0177.0.0.1",
            "2130706433",
            "127.1",
            "①②⑦.⓪.⓪.①",
            "127。0。0。1",
            "127.0.0.1.",
            "[::ffff:7f00:1]",
            "[::127.0.0.1]",
        ];
        for host in hosts {
            let url = url::Url::parse(&format!("http://{host}/")).unwrap();
            let addr = match url.host() {
                Some(url::Host::Ipv4(v4)) => IpAddr::V4(v4),
                Some(url::Host::Ipv6(v6)) => IpAddr::V6(v6),
                other => panic!("{host} is {other:?}"),
            };
            assert!(special_purpose(addr).is_some(), "{host}");
        }
    }
}
