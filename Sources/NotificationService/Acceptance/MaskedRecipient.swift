/// Who a message is for, as logs and lists show it: enough to recognise somebody whom one knows,
/// too little to find anybody.
package enum MaskedRecipient {
    /// `ada@mail.example.org` as `a…@m….org`.
    package static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return "…" }
        let domain = address[address.index(after: at)...]
        let end = domain.lastIndex(of: ".").map { domain[$0...] } ?? ""
        return "\(address[..<at].prefix(1))…@\(domain.prefix(1))…\(end)"
    }

    /// `+4915112345621` as `+49…21`: country codes have one to three digits, two tell enough.
    package static func phone(_ number: String) -> String {
        number.utf8.count > 6 ? "\(number.prefix(3))…\(number.suffix(2))" : "…"
    }

    /// A device by the last two digits of its row.
    package static func device(_ row: Int64) -> String {
        "device …\("0\(row.magnitude % 100)".suffix(2))"
    }
}
