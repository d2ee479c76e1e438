import Addresses

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
        guard let text = parts.first, let address = ClientAddress(String(text)) else {
            return subject
        }
        return ([address.networkText(v6: v6, v4: v4)] + parts.dropFirst().map(String.init))
            .joined(separator: "|")
    }
}
