/// One step of a schema, forward only. A step adds (tables, columns with defaults, indexes) and
/// never removes what the previous version of the program uses, so that version runs on the new
/// schema. A released step is never edited.
package struct Migration: Hashable, Sendable {
    /// Its number, from 1 without gaps.
    package let number: Int
    /// Statements without parameters.
    package let sql: String

    /// Step `number`.
    package init(number: Int, sql: String) {
        self.number = number
        self.sql = sql
    }
}
