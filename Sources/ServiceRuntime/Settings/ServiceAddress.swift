/// An address that a program listens on or connects to: a host (name, IPv4 or IPv6) and a port.
package struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or a numeric address, without brackets.
    package let host: String
    /// 0 … 65,535. With 0, the system picks the port that a program listens on.
    package let port: Int

    /// The address of `port` at `host`. Nil for an invalid host or port.
    package init?(host: String, port: Int) {
        guard (0...65_535).contains(port), Self.isHost(host) else { return nil }
        self.host = host
        self.port = port
    }

    /// `port` on this machine.
    package static func loopback(port: UInt16) -> ServiceAddress {
        ServiceAddress(loopbackPort: port)
    }

    private init(loopbackPort: UInt16) {
        host = "127.0.0.1"
        port = Int(loopbackPort)
    }

    /// Parses `host:port`. An IPv6 address is in brackets (`[::1]:7402`).
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.init(host: String(host), port: Int(port))
    }

    /// The same text that the parser reads.
    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine can reach it. Every other address requires TLS.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.split(separator: ".").count == 4
                && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) })
    }

    private static func isHost(_ host: String) -> Bool {
        // 253 bytes is the longest name there can be: RFC 1035 §2.3.4, without the final dot.
        (1...253).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
                    true
                default: false
                }
            }
    }
}
