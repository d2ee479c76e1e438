package import Addresses

/// The address of the client in front of trusted proxies.
///
/// Limits count by this address, so a client that could choose it would have no limits, and could
/// exhaust those of another address. Each proxy appends the address of its own peer, so only the
/// right end of a list is credible: it is walked from the right, past trusted proxies, up to the
/// first address that is no trusted proxy. What is left of that was written by the client.
///
/// An entry that is no address (garbage, `unknown`, obfuscated, a zone, empty) ends the walk at the
/// last address before it, at first the peer's. A client that sends garbage is so counted as the
/// proxy in front of it, together with others that do, and no honest client with them.
package enum ForwardedAddress {
    /// The person's address.
    ///
    /// If the proxy has named the client by PROXY protocol, the peer is no trusted proxy, and the
    /// fields do not count: such a proxy passes them on as the client wrote them.
    /// - Parameters:
    ///   - peer: The address of the TCP connection, or of PROXY protocol.
    ///   - isFromTrustedProxy: Whether the header fields count at all.
    ///   - forwarded: The values of `Forwarded` (RFC 7239), one of each field, in order.
    ///   - xForwardedFor: The values of `X-Forwarded-For`, likewise.
    package static func of(
        peer: ClientAddress, isFromTrustedProxy: Bool, forwarded: [String],
        xForwardedFor: [String], trusted: [AddressNetwork]
    ) -> ClientAddress {
        guard isFromTrustedProxy, isTrusted(peer, trusted) else { return peer }
        let standard = forwarded.isEmpty ? nil : hops(forwarded: forwarded)
        let common = xForwardedFor.isEmpty ? nil : hops(xForwardedFor: xForwardedFor)
        switch (standard, common) {
        case (nil, nil): return peer
        case (let hops?, nil), (nil, let hops?): return walk(hops, peer, trusted)
        case (let standard?, let common?):
            // A proxy that writes one of them usually passes the other one through as the client
            // sent it, and which one it writes is not known. So both count only where they agree.
            let address = walk(standard, peer, trusted)
            return address == walk(common, peer, trusted) ? address : peer
        }
    }

    private static func walk(
        _ hops: [ClientAddress?], _ peer: ClientAddress, _ trusted: [AddressNetwork]
    ) -> ClientAddress {
        var last = peer
        for hop in hops.reversed() {
            guard let hop else { return last }
            last = hop
            guard isTrusted(hop, trusted) else { return hop }
        }
        return last
    }

    private static func isTrusted(_ address: ClientAddress, _ trusted: [AddressNetwork]) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    private static func hops(xForwardedFor values: [String]) -> [ClientAddress?] {
        values.flatMap { value in
            value.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map {
                address(Substring($0).trimmed, isIPv6Bare: true)
            }
        }
    }

    /// Reads each field by itself, so that an open quote in the client's field cannot swallow the
    /// one that a proxy added.
    private static func hops(forwarded values: [String]) -> [ClientAddress?] {
        values.flatMap { value -> [ClientAddress?] in
            guard let elements = split(value[...], at: ",") else { return [nil] }
            return elements.map(hop(element:))
        }
    }

    /// The address in `for=…;proto=…`. Nil for none, several or another one.
    private static func hop(element: Substring) -> ClientAddress? {
        guard let pairs = split(element, at: ";") else { return nil }
        let values = pairs.compactMap { pair -> Substring? in
            let trimmed = pair.trimmed
            guard let equals = trimmed.firstIndex(of: "="),
                trimmed[..<equals].lowercased() == "for"
            else { return nil }
            return trimmed[trimmed.index(after: equals)...]
        }
        guard values.count == 1, let value = values.first else { return nil }
        guard value.first == "\"" else {
            // An address of IPv6 has to be quoted, with brackets.
            return address(value, isIPv6Bare: false)
        }
        guard value.count >= 2, value.last == "\"", !value.contains("\\") else { return nil }
        return address(value.dropFirst().dropLast(), isIPv6Bare: false)
    }

    /// Splits outside of quotes. Nil where a quote stays open.
    ///
    /// Both kinds of lists are split at Unicode scalars. A client could end its own field with a
    /// scalar that forms one `Character` with the comma that a proxy adds (U+0600), and so hide the
    /// address that follows.
    private static func split(_ text: Substring, at separator: Unicode.Scalar) -> [Substring]? {
        var isQuoted = false
        var isEscaped = false
        let parts = text.unicodeScalars.split(omittingEmptySubsequences: false) { scalar in
            if isEscaped {
                isEscaped = false
            } else if isQuoted, scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            }
            return scalar == separator && !isQuoted
        }
        return isQuoted ? nil : parts.map { Substring($0) }
    }

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]` and `[2001:db8::1]:80`; bare IPv6
    /// addresses where `isIPv6Bare`.
    private static func address(_ text: Substring, isIPv6Bare: Bool) -> ClientAddress? {
        // A zone names an interface of the machine that wrote it.
        guard !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = text[text.index(after: text.startIndex)..<end]
            return isPort(text[text.index(after: end)...]) && host.contains(":")
                ? ClientAddress(String(host)) : nil
        }
        if text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
            return isIPv6Bare ? ClientAddress(String(text)) : nil
        }
        let host = text.prefix { $0 != ":" }
        return isPort(text[host.endIndex...]) ? ClientAddress(String(host)) : nil
    }

    /// Whether a text is empty, or a colon with a port.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || text.first == ":" && UInt16(text.dropFirst()) != nil
                && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
    }
}

extension Substring {
    /// Without the spaces and tabs that HTTP allows around elements of a list.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
