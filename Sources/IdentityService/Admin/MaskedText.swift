/// Masks addresses and phone numbers for operators who did not request personal data. The result is
/// enough to recognise an address that a person has just named, and too little to write to it.
enum MaskedText {
    /// `ada@example.org` → `a…@example.org`.
    static func email(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@"), let first = address.first, first != "@" else {
            return address.isEmpty ? "" : "…"
        }
        return "\(first)…\(address[at...])"
    }

    /// `+4915112345678` → `+49…78`. Country codes have up to three digits; two of them are enough.
    static func phone(_ number: String) -> String {
        // In a shorter number, both ends together would be most of the number.
        guard number.count >= 8 else { return number.isEmpty ? "" : "…" }
        return "\(number.prefix(3))…\(number.suffix(2))"
    }
}
