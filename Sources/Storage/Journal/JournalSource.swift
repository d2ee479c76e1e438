/// What a journal keeps: something in memory that can tell what has changed since it was last
/// asked, and copy itself part by part.
///
/// Both kinds of bytes are the source's own. What it was given back it must take in any state of
/// its own, since a snapshot is copied while changes go on: a change may be in both.
package protocol JournalSource: AnyObject, Sendable {
    /// How many parts a copy has; each is copied by itself.
    var journalParts: Int { get }

    /// Appends the present state of what changed since the last call, some 64 MiB at a time.
    /// - Returns: whether there is more.
    func takeChanges(into bytes: inout JournalBytes) -> Bool

    /// Appends a copy of a part.
    func copyPart(_ part: Int, into bytes: inout JournalBytes)

    /// Takes a part back, before any change. Several threads may do that at once, each with
    /// another part.
    func restorePart(_ bytes: UnsafeRawBufferPointer) throws

    /// Takes changes back, in the order in which they were made. One or more threads, each a lane,
    /// are all given all of them: each takes a share of the source, whichever it is, that no other
    /// lane takes.
    func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) throws
}
