import Glibc

/// Text files, read and written as a whole.
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
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw ToolError.system(path, errno) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw ToolError.badInput("\(path) is over \(bytesMax) bytes")
    }

    /// Replaces the file atomically, also in case of a crash; only its owner can read it.
    static func replace(_ path: String, with text: String) throws {
        let draft = "\(path).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ToolError.system(draft, errno) }
        let bytes = Array(text.utf8)
        let count = write(file, bytes, bytes.count)
        let isOnDisk = count == bytes.count && fsync(file) == 0
        close(file)
        guard isOnDisk, rename(draft, path) == 0 else {
            throw ToolError.system(path, errno)
        }
    }
}
