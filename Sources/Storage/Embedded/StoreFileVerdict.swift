/// Whether a store's file is the one that last ran here, or a copy. Pure:
///
///     row       its birth time       its run                    is_open   verdict
///     any, in a marked copy                                               restoredCopy: a backup,
///                                                                         or not settled yet
///     none      any                  -                          -         original: of an older
///                                                                         version, or new
///     present   any                  older than the newest here no        restoredCopy: of a
///     present   another              any                        no        closed store
///     present   any                  older than the newest here yes       copiedWhileOpen: refused
///     present   another              any                        yes
///     present   the file's, or none  the newest, or newer       any       original, also after a
///                                                                         crash
///
/// Where the file system does not report birth times, an original is `unknown`: it continues, with
/// a warning.
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
    ///   - newestRun: the newest run that the folder shows; 0 for none.
    ///   - isMarked: whether it is marked as a copy.
    init(row: StoreFile.Row?, bornNs: Int64?, newestRun: Int64, isMarked: Bool) {
        if isMarked {
            self = .restoredCopy
        } else if let row, row.run < newestRun || row.isOfAnotherFile(bornNs) {
            self = row.isOpen ? .copiedWhileOpen : .restoredCopy
        } else {
            self = bornNs == nil ? .unknown : .original
        }
    }
}

extension StoreFile.Row {
    fileprivate func isOfAnotherFile(_ born: Int64?) -> Bool {
        guard let bornNs, let born else { return false }
        return bornNs != born
    }
}
