import ServiceRuntime
import Storage

extension SQLSession {
    /// The schemes of stored hashes that are not our own, as `PasswordScheme` names them. Each
    /// costs one step in the index, however many accounts have it.
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
            """, [.integer(ResponseTimeFloor.schemesMax)]
        ) { try $0.text(0) }
    }

    /// The schemes that our own hashes have been made with.
    func ownPasswordSchemes() throws -> [String] {
        try query("SELECT name FROM own_password_schemes ORDER BY scheme") { try $0.text(0) }
    }
}

extension Transaction {
    /// Records the scheme that our hashes are made with from now on.
    /// - Parameters:
    ///   - standard: The scheme of hashes from before this record existed.
    ///   - moment: Since when hashes are made with `name`.
    func note(ownScheme name: String, standard: String, since moment: Timestamp) throws {
        var known = try ownPasswordSchemes()
        let isFirst = known.isEmpty
        let hasOlder =
            try isFirst
            && queryOne(
                "SELECT 1 FROM passwords WHERE changed_at_ms < ? LIMIT 1", [SQLValue(moment)]
            ) { _ in true } == true
        let before = hasOlder ? [standard] : []
        for new in before + [name] where !known.contains(new) {
            try execute("INSERT INTO own_password_schemes (name) VALUES (?)", [.text(new)])
            known.append(new)
        }
    }
}
