/// The place where a sealed value is stored. It is authenticated with the value, so that an
/// attacker who can write to a store cannot move one account's sealed field into another's row, or
/// into another column.
package struct SealedPlace: Hashable, Sendable {
    let associatedData: [UInt8]

    /// A field of a row.
    package init(table: String, column: String, row: Int64) {
        associatedData = Self.joined(
            ["row", table, column].map { Array($0.utf8) }
                + [(0..<8).map { UInt8(truncatingIfNeeded: row >> (56 - $0 * 8)) }])
    }

    /// Any other value with one place and one purpose: `session/signing-key`, a file's name.
    package init(purpose: String) {
        associatedData = Self.joined([Array("purpose".utf8), Array(purpose.utf8)])
    }

    /// Each part prefixed with its length in 4 bytes, so that no two lists of parts give the same
    /// bytes.
    private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { part in
            (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - $0 * 8)) } + part
        }
    }
}
