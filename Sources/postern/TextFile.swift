import Glibc
import ServiceRuntime

/// Text files, read and replaced as a whole.
enum TextFile {
    private static let bytesMax = 4 * 1024 * 1024

    /// The bytes of `path`; `-` is standard input.
    static func read(_ path: String) throws -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolError.system(path, errno) }
        defer { if path != "-" { close(file) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count <= bytesMax {
            let count = buffer.withUnsafeMutableBytes { Files.read(into: $0, from: file) }
            guard let count else { throw ToolError.system(path, errno) }
            bytes += buffer[..<count]
            // At the end: a terminal would be asked again for more.
            if count < buffer.count { return bytes }
        }
        throw ToolError("\(path) is over \(bytesMax) bytes")
    }

    /// Replaces the file atomically, also in case of a crash; only its owner can read it. The new
    /// one is on disk on return.
    static func replace(_ path: String, with text: String) throws {
        try replace(path, with: Array(text.utf8))
    }

    /// The same with bytes.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let draft = try OutputFile("\(path).new", flags: O_TRUNC)
        try draft.write(bytes)
        try draft.sync()
        guard rename(draft.path, path) == 0, Files.sync(Files.folder(of: path)) else {
            throw ToolError.system(path, errno)
        }
    }
}

/// A file that the tool writes and only its owner can read; closed with the last reference.
final class OutputFile {
    let path: String
    private let descriptor: Int32

    /// Opens the file, and creates it if it does not exist.
    /// - Parameter flags: `O_TRUNC`, `O_APPEND`, or `O_EXCL`, which fails if it exists.
    init(_ path: String, flags: Int32) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw ToolError.system(path, errno) }
    }

    deinit { close(descriptor) }

    /// Locks the file, so that `Folder.holder` finds it in use. A file system without locks is no
    /// error.
    func lock() { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    /// Writes unbuffered, so that a crash of the tool loses nothing that was written before.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// The same with bytes.
    func write(_ bytes: [UInt8]) throws {
        guard bytes.withUnsafeBytes({ Files.write($0, to: descriptor) }) else {
            throw ToolError.system(path, errno)
        }
    }

    /// Returns after everything is on disk.
    func sync() throws {
        guard fsync(descriptor) == 0 else { throw ToolError.system(path, errno) }
    }
}
