import Cryptography
import Glibc

/// The progress of an import, in a file beside the imported one, so that a stopped import can be
/// resumed. If it is lost or outdated only time is lost: the service recognises accounts that it
/// has imported.
struct ImportPosition: Hashable {
    /// The end of the last record before which all records are done.
    let offset: Int64
    /// The size of the imported file: the position is ignored for a file of another size.
    let byteCount: Int64

    /// The position that an earlier run has written to `path`; nil if there is none.
    static func read(_ path: String, byteCount: Int64) -> ImportPosition? {
        // If there is no such file, or it is invalid, the import starts from the beginning.
        guard let bytes = try? TextFile.read(path), let object = JSONReader.object(in: bytes),
            let offset = object["offset"]?.integer, object["bytes"]?.integer == byteCount,
            (0...byteCount).contains(offset)
        else { return nil }
        return ImportPosition(offset: offset, byteCount: byteCount)
    }

    /// Replaces the file.
    func write(_ path: String) throws {
        try TextFile.replace(
            path,
            with: JSONWriter.text(["offset": .integer(offset), "bytes": .integer(byteCount)])
                + "\n")
    }

    /// Removes the file after a complete import.
    static func remove(_ path: String) { _ = unlink(path) }
}
