/// Why a journal could not be read. Its description tells the operator what to do.
package enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes at `offset` are not what was written, and more was written after them.
    case damaged(file: String, offset: Int)
    /// A file between the snapshot and the newest log is missing.
    case missing(file: String)
    /// The bytes are intact but in a format that this version does not write.
    case unknownContent

    package var description: String {
        switch self {
        case .damaged(let file, let offset):
            """
            \(file) is damaged at byte \(offset): check the disk and restore a backup, or move the \
            file away to start without its contents
            """
        case .missing(let file):
            """
            \(file) is missing though a newer log exists: restore it, or move the newer ones away \
            to start without their contents
            """
        case .unknownContent:
            "the journal was written by another version: start that version"
        }
    }
}
