/// Addresses and numbers as an operator sees them who did not ask for more: enough to tell that it is
/// the one that a person has just said, too little to write to.
enum MaskedText {
    /// `ada@example.org` → `a…@example.org`.
    static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@" else {
            return address.isEmpty ? "" : "…"
        }
        return "\(first)…\(address[at...])"
    }

    /// `+4915112345678` → `+49…78`. Country codes have up to three digits; two tell enough.
    static func phone(_ number: String) -> String {
        // Of what is shorter both ends would be most of it.
        guard number.count >= 8 else { return number.isEmpty ? "" : "…" }
        return "\(number.prefix(3))…\(number.suffix(2))"
    }
}
