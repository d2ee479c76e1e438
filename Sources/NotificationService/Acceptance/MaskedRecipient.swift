/// A recipient as logs and lists show it: enough for somebody who knows the recipient to recognise
/// it, too little to identify a stranger.
package enum MaskedRecipient {
    /// `ada@mail.example.org` as `a…@m….org`.
    package static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return "…" }
        let domain = address[address.index(after: at)...]
        let end = domain.lastIndex(of: ".").map { domain[$0...] } ?? ""
        return "\(address[..<at].prefix(1))…@\(domain.prefix(1))…\(end)"
    }

    /// `+4915112345621` as `+49…21`. Country codes have one to three digits; two are enough here.
    package static func phone(_ number: String) -> String {
        number.utf8.count > 6 ? "\(number.prefix(3))…\(number.suffix(2))" : "…"
    }

    /// A device as the last two digits of its row id.
    package static func device(_ row: Int64) -> String {
        "device …\("0\(row.magnitude % 100)".suffix(2))"
    }
}
