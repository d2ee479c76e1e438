/// State in memory that a journal makes durable: it can return what has changed since the last
/// call, and copy itself part by part.
///
/// The source defines both byte formats. It must accept restored bytes in any of its states, since
/// a snapshot is copied while changes continue: a change may be in both.
package protocol JournalSource: AnyObject, Sendable {
    /// How many parts a copy has; each is copied separately.
    var journalParts: Int { get }

    /// Appends the current state of what changed since the last call, about 64 MiB at a time.
    /// - Returns: whether there is more.
    func takeChanges(into bytes: inout JournalBytes) -> Bool

    /// Appends a copy of a part.
    func copyPart(_ part: Int, into bytes: inout JournalBytes)

    /// Restores a part, before any change. Several threads may call it at once, each with a
    /// different part.
    /// - Throws: `JournalError.unknownContent` for bytes in an unknown format.
    func restorePart(_ bytes: UnsafeRawBufferPointer) throws

    /// Restores changes in the order in which they were made. With several threads (`lanes`), each
    /// receives all changes and applies only those of its own share of the source. The source
    /// chooses the shares; they do not overlap.
    /// - Throws: `JournalError.unknownContent` for bytes in an unknown format.
    func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) throws
}
