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
}

extension SQLConnection {
    /// See `SQLConnection`.
    /// - Throws: `SQLError`.
    package func isMarkedAsCopy() throws -> Bool {
        try queryOne("PRAGMA application_id") { try $0.integer(0) } == restoredCopyMark
    }

    /// See `SQLConnection`.
    /// - Throws: `SQLError`.
    package func forgetCopy() throws { try execute("PRAGMA application_id = 0") }
}

/// "Psrb".
private let restoredCopyMark: Int64 = 0x5073_7262
