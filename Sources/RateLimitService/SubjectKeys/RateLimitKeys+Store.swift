import Cryptography
package import Storage

extension RateLimitKeys {
    /// For each of the oldest sealed secrets, whether these keys open it (`Store.requireKey`). A
    /// store whose secret was never rotated has none.
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.query(
            """
            SELECT number, secret FROM subject_secret
            WHERE secret IS NOT NULL ORDER BY number LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            secrets.opens(try row.blob(1), at: .subjectSecret(try row.integer(0)))
        }
    }
}
