/// Distinguishes a restored backup from the original store. A backup has a mark in its header, and
/// a store opened on it reports the mark until its service has handled the restore.
///
/// The mark is SQLite's `application_id`, which is not used for anything else here and is
/// transactional.
enum RestoredCopy {
    /// "Psrb".
    private static let mark: Int64 = 0x5073_7262

    /// Marks a copy.
    static func mark(_ connection: any SQLConnection) throws {
        try connection.execute("PRAGMA application_id = \(mark)", [])
    }

    /// Whether this is a copy whose restore has not been handled.
    static func isMarked(_ connection: any SQLConnection) throws -> Bool {
        try connection.queryOne("PRAGMA application_id") { try $0.integer(0) } == mark
    }
}

extension Transaction {
    /// Clears the mark: from this commit on the copy is an ordinary store.
    /// - Throws: `SQLError`.
    package func forgetRestore() throws {
        try execute("PRAGMA application_id = 0", [])
    }
}
