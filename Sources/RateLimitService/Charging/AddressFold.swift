import RPC

/// Brings network addresses to what one person holds: IPv6 by /64, since each household has 2⁶⁴ of
/// them and a limit on single ones would limit nobody, or by /48, which a provider's customer gets
/// for the asking; `::ffff:a.b.c.d` is `a.b.c.d`, or one caller would have two lanes.
enum AddressFold {
    /// The folded form of `subject`, an address with anything behind a `|`; what is not an address
    /// stays as it is.
    /// - Parameters:
    ///   - v6: bytes that are kept of an IPv6 address: 8 for a /64, 6 for a /48.
    ///   - v4: bytes that are kept of an IPv4 address: 4 for all, 3 for a /24.
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

    /// Of `203.0.113.7` three bytes are `203.0.113/24`.
    private static func dotted(_ address: [UInt8], _ kept: Int) -> String {
        address.prefix(kept).map { "\($0)" }.joined(separator: ".")
            + (kept < address.count ? "/\(kept * 8)" : "")
    }
}
