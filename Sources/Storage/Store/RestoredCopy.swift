/// Tells a backup's copy from the store that it was made of: the copy bears a mark in its header,
/// and the store that is opened on it says so until its service has dealt with that.
///
/// The mark is SQLite's `application_id`, which nothing else here uses and which is written with the
/// transaction that it is set in.
enum RestoredCopy {
    /// "Psrb".
    private static let mark: Int64 = 0x5073_7262

    /// Marks a copy.
    static func mark(_ connection: any SQLConnection) throws {
        try connection.execute("PRAGMA application_id = \(mark)", [])
    }

    /// Whether this is a copy that nobody has dealt with.
    static func isMarked(_ connection: any SQLConnection) throws -> Bool {
        try connection.queryOne("PRAGMA application_id") { try $0.integer(0) } == mark
    }
}

extension Transaction {
    /// The copy is a store like any other from this commit on.
    package func forgetRestore() throws {
        try execute("PRAGMA application_id = 0", [])
    }
}
