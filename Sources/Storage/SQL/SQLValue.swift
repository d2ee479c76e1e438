package import ServiceRuntime

/// One value of a statement's parameters or a result row, kept byte for byte.
package enum SQLValue: Hashable, Sendable {
    /// `NULL`.
    case null
    /// An integer; also a boolean (0, 1) or a timestamp (milliseconds since 1970).
    case integer(Int64)
    /// A floating-point number; never NaN, which SQLite would turn into `NULL`.
    case real(Double)
    /// Text, including any NUL characters.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// The integer, or `null`.
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    /// The text, or `null`.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// The bytes, or `null`.
    package init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }

    /// The timestamp in milliseconds since 1970, or `null`.
    package init(_ moment: Timestamp?) { self.init(moment?.milliseconds) }

    /// 1 or 0.
    package init(_ truth: Bool) { self = .integer(truth ? 1 : 0) }
}
