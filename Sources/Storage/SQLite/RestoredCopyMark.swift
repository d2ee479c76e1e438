/// A restored copy is distinguished from the original store: a copy has a mark in its header, and a
/// store opened on it reports the mark until its service has handled the restore
/// (`Store.settleRestoredCopy` in Store/RestoredCopy.swift).
///
/// The mark is SQLite's `application_id`, which is not used for anything else here and is
/// transactional.
extension SQLSession {
    /// Marks this database as a copy.
    func markAsCopy() throws {
        try execute("PRAGMA application_id = \(restoredCopyMark)", [])
    }

    /// Whether this is a copy whose restore has not been handled.
    func isMarkedAsCopy() throws -> Bool {
        try queryOne("PRAGMA application_id") { try $0.integer(0) } == restoredCopyMark
    }
}

/// "Psrb".
private let restoredCopyMark: Int64 = 0x5073_7262

extension Transaction {
    /// Clears the mark: from this commit on the copy is an ordinary store.
    func forgetRestore() throws {
        try put("PRAGMA application_id = 0", [])
    }
}
