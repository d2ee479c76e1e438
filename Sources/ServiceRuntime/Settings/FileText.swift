import Glibc

/// Reads a small file of the operator's into memory.
package enum FileText {
    /// Why a file could not be read.
    package struct Failure: Error {
        /// The reason, as a sentence for the operator.
        package let sentence: String
    }

    /// The file's bytes. A failure where the file cannot be read or holds more than `bytesMax`.
    ///
    /// They are read into one array that never grows, so that a secret leaves no copy in memory.
    package static func read(_ path: String, bytesMax: Int) -> Result<[UInt8], Failure> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(failure()) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        let filled = bytes.withUnsafeMutableBytes { Files.read(into: $0, from: descriptor) }
        guard let filled else { return .failure(failure()) }
        if filled > bytesMax {
            return .failure(Failure(sentence: "the file holds more than \(bytesMax) bytes"))
        }
        bytes.removeLast(bytes.count - filled)
        return .success(bytes)
    }

    /// Why a file or folder cannot be opened for reading; nil if it can. It is not opened.
    static func unreadable(_ path: String) -> Failure? {
        access(path, R_OK) == 0 ? nil : failure()
    }

    /// Overwrites bytes that were read and are secret.
    static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
    }

    private static func failure() -> Failure {
        Failure(sentence: "the file cannot be read: " + String(cString: strerror(errno)))
    }
}
