import Cryptography
import Glibc

/// How far an import came, in a file beside the one that it reads, so that it can go on after it was
/// stopped. Lost or late it costs time only: an account that has come is known again.
struct ImportPosition: Hashable {
    /// Where the last record ends of which all before are done.
    let offset: Int64
    /// The size of the file that this is of: of another file it is worth nothing.
    let byteCount: Int64

    /// The position of `path`, which a run before has written; nil where there is none.
    static func read(_ path: String, byteCount: Int64) -> ImportPosition? {
        // No such file, or none of ours: then it begins at the beginning.
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

    /// Takes the file away: all is done.
    static func remove(_ path: String) { _ = unlink(path) }
}
