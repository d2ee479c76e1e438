/// One step of a schema, forward only. A step adds (tables, columns with defaults, indexes) and
/// never takes away what the program before it uses, so that the old program runs on the new
/// schema; once released it is never edited.
package struct Migration: Hashable, Sendable {
    /// Its place, from 1 without gaps.
    package let number: Int
    /// Statements that need no parameters.
    package let sql: String

    /// Step `number`.
    package init(number: Int, sql: String) {
        self.number = number
        self.sql = sql
    }
}
