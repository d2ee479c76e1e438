import RPC

/// Reduces network addresses to what one person has. An IPv6 address becomes its /64, because each
/// household has 2⁶⁴ addresses and a limit on single ones would have no effect; or its /48, which a
/// provider's customer gets on request. `::ffff:a.b.c.d` becomes `a.b.c.d`. Attack: one caller uses
/// both forms to have two buckets.
enum AddressFold {
    /// The canonical form of `subject`, an address with optional text after a `|`. Anything else is
    /// returned unchanged.
    /// - Parameters:
    ///   - v6: bytes kept of an IPv6 address: 8 for a /64, 6 for a /48.
    ///   - v4: bytes kept of an IPv4 address: 4 for all of it, 3 for a /24.
    static func fold(_ subject: String, v6: Int, v4: Int = 4) -> String {
        let parts = subject.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, let folded = foldAddress(String(address), v6, v4) else {
            return subject
        }
        return ([folded] + parts.dropFirst().map(String.init)).joined(separator: "|")
    }

    private static func foldAddress(_ text: String, _ kept: Int, _ keptOfV4: Int) -> String? {
        guard let bytes = ClientAddress.bytes(of: text) else { return nil }
        guard bytes.count == 16 else { return dotted(bytes, keptOfV4) }
        return bytes.prefix(kept).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined() + "/\(kept * 8)"
    }

    /// For example `203.0.113/24` for three bytes of `203.0.113.7`.
    private static func dotted(_ address: [UInt8], _ kept: Int) -> String {
        address.prefix(kept).map { "\($0)" }.joined(separator: ".")
            + (kept < address.count ? "/\(kept * 8)" : "")
    }
}
