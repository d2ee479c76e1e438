/// Whether a store's file is the one that last ran here, or a copy. Pure:
///
///     row       its birth time        is_open   verdict
///     any       not reported here     any       unknown: continues as an original, with a warning
///     none      -                     -         original: of an older version, or new
///     present   none                  any       original: it was not reported before
///     present   the file's            any       original, also after a crash
///     present   another               no        restoredCopy: a copy of a closed store
///     present   another               yes       copiedWhileOpen: refused
///     any, in a marked copy                     restoredCopy: a backup, or not settled yet
///
/// Failure that the refusal prevents: a file that is copied while its program runs, or without the
/// log of a program that was killed, lacks commits or has half of one, and may look intact.
///
/// An older version of the program leaves the row as it is. A copy made while that version ran
/// counts as one of a closed store, and one made after it was stopped may be refused, if a newer
/// version had been killed before.
enum StoreFileVerdict: Hashable, Sendable {
    case original
    case unknown
    case restoredCopy
    case copiedWhileOpen

    /// - Parameters:
    ///   - row: the store's row; nil where it has none.
    ///   - bornNs: when its file was created; nil where the file system does not report it.
    ///   - isMarked: whether it is marked as a copy.
    init(row: StoreFile.Row?, bornNs: Int64?, isMarked: Bool) {
        if isMarked {
            self = .restoredCopy
        } else if bornNs == nil {
            self = .unknown
        } else if let row, let stored = row.bornNs, stored != bornNs {
            self = row.isOpen ? .copiedWhileOpen : .restoredCopy
        } else {
            self = .original
        }
    }
}
