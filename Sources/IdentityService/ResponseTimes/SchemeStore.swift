import ServiceRuntime
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
            """, [.integer(ResponseTimeFloor.schemesMax)]
        ) { try $0.text(0) }
    }

    /// By which schemes our own hashes have been made.
    func ownPasswordSchemes() throws -> [String] {
        try query("SELECT name FROM own_password_schemes ORDER BY scheme") { try $0.text(0) }
    }
}

extension Transaction {
    /// Notes by which scheme our hashes are made from now on.
    /// - Parameters:
    ///   - standard: By which they were while nobody noted it.
    ///   - moment: Since when they are made by this one.
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
