extension Unicode.Scalar {
    /// Whether this is one of a–z, A–Z and 0–9. A comparison, since a look-up of Unicode's
    /// properties costs as much as the rest of parsing an address.
    var isASCIILetterOrDigit: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII letters in lower case and all others unchanged: Unicode's lower-casing
    /// turns the Kelvin sign into k.
    var asciiLowercase: [UInt8] { map { (65...90).contains($0) ? $0 | 0x20 : $0 } }
}
