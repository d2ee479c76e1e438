package import ServiceRuntime

/// One value as a store keeps it: what a statement is given and a row gives back, byte for byte.
package enum SQLValue: Hashable, Sendable {
    /// Nothing known.
    case null
    /// A whole number; also truth (0, 1) and moments (milliseconds since 1970).
    case integer(Int64)
    /// A floating-point number; never NaN, which SQLite would turn into `null`.
    case real(Double)
    /// Text, with any NUL it may hold.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// The number, or `null`.
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    /// The text, or `null`.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// The bytes, or `null`.
    package init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }

    /// The moment in milliseconds since 1970, or `null`.
    package init(_ moment: Timestamp?) { self.init(moment?.milliseconds) }

    /// 1 or 0.
    package init(_ truth: Bool) { self = .integer(truth ? 1 : 0) }
}
