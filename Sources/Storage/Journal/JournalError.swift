/// Why a journal could not be read. Its description is a sentence for the operator and says what to
/// do.
package enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What stands at `offset` is not what was written, and more was written after it.
    case damaged(file: String, offset: Int)
    /// A file between the snapshot and the newest log is not there.
    case missing(file: String)
    /// The bytes are whole, but not such as this version writes.
    case unknownContent

    package var description: String {
        switch self {
        case .damaged(let file, let offset):
            """
            \(file) is damaged at byte \(offset) and was not written so: check the disk and restore \
            a backup, or move the file away to start without what it counted
            """
        case .missing(let file):
            """
            \(file) is missing though a newer log is there: put it back, or move the newer ones \
            away to start without what they counted
            """
        case .unknownContent:
            "the journal was written by another version: start that one"
        }
    }
}
