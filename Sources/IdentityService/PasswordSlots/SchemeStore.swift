import Storage

extension SQLSession {
    /// The schemes of stored hashes that are not ours, as `PasswordScheme` names them. Each is one
    /// step in the index, however many accounts have it.
    func storedPasswordSchemes() throws -> [String] {
        try query(
            """
            WITH RECURSIVE found (scheme) AS (
                SELECT min(scheme) FROM passwords WHERE scheme IS NOT NULL
                UNION ALL
                SELECT (SELECT min(scheme) FROM passwords
                        WHERE scheme IS NOT NULL AND scheme > found.scheme)
                FROM found WHERE found.scheme IS NOT NULL)
            SELECT scheme FROM found WHERE scheme IS NOT NULL LIMIT ?
            """, [.integer(PasswordSlots.schemesMax)]
        ) { try $0.text(0) }
    }
}
