extension Journal {
    /// Reads all files of a journal that no program has open, and checks each frame. A torn end of
    /// the newest log is cut off, as at a start.
    /// - Throws: `JournalError` with the file and the place, `SQLError`.
    package static func check(folder: String, name: String) throws {
        let place = JournalFolder(folder: folder, name: name)
        guard try !(place.logs() + place.snapshots()).isEmpty else { return }
        _ = try JournalRecovery(folder: place, files: DiskFiles(), source: NoState()).run()
    }

    /// Takes any content: only the frames are checked.
    private final class NoState: JournalSource {
        let journalParts = 0

        func takeChanges(into bytes: inout JournalBytes) -> Bool { false }

        func copyPart(_ part: Int, into bytes: inout JournalBytes) {}

        func restorePart(_ bytes: UnsafeRawBufferPointer) {}

        func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) {}
    }
}
