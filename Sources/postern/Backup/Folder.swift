import Cryptography
import Glibc
import ServiceRuntime

/// A folder of files, as backups and restores use it.
struct Folder: Sendable {
    let path: String

    /// The path of an entry.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A folder in it.
    func folder(_ name: String) -> Folder { Folder(path: file(name)) }

    /// Whether there is an entry with this name.
    func has(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

    /// Creates it and the folders above it, for their owner only, where they do not exist.
    func make() throws {
        do {
            try SecretFile.makeFolder(path)
        } catch SecretFileError.unreadable(let path, let code) {
            throw ToolError.system(path, code)
        }
    }

    /// The names of its entries, sorted.
    func names() throws -> [String] {
        guard let names = Files.names(in: path) else { throw ToolError.system(path, errno) }
        return names
    }

    /// The length of a file in bytes.
    func length(of name: String) throws -> Int64 {
        var status = stat()
        guard stat(file(name), &status) == 0 else { throw ToolError.system(file(name), errno) }
        return Int64(status.st_size)
    }

    /// Returns once its entries are on disk.
    func sync() throws {
        guard Files.sync(path) else { throw ToolError.system(path, errno) }
    }

    /// Removes a file; one that does not exist is no error.
    func remove(_ name: String) throws {
        guard unlink(file(name)) == 0 || errno == ENOENT else {
            throw ToolError.system(file(name), errno)
        }
    }

    /// Removes the folder with the files and folders in it.
    ///
    /// A link is removed and not followed, here too. Attack: a service that was taken over makes
    /// `restoring` in its data folder a link to a folder of root, who then runs a restore.
    func removeAll() throws {
        if unlink(path) == 0 { return }
        guard errno == EISDIR else { throw ToolError.system(path, errno) }
        for name in try names() { try folder(name).removeAll() }
        guard rmdir(path) == 0 else { throw ToolError.system(path, errno) }
    }

    /// Copies a file into another folder, where it must not exist; durable on return.
    /// - Throws: `ToolError`, `CancellationError`.
    func copy(_ name: String, to target: Folder) throws {
        let source = open(file(name), O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw ToolError.system(file(name), errno) }
        defer { close(source) }
        let copy = try OutputFile(target.file(name), flags: O_EXCL)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            try Task.checkCancellation()
            let count = buffer.withUnsafeMutableBytes { Files.read(into: $0, from: source) }
            guard let count else { throw ToolError.system(file(name), errno) }
            if count == 0 { break }
            try copy.write(Array(buffer[..<count]))
        }
        try copy.sync()
    }

    /// The process that has one of these services' stores in the folder open, as text; nil if none.
    func holder(of services: [StoredService]) -> String? {
        services.lazy.flatMap(\.locks).compactMap(holder(ofLock:)).first
    }

    /// The process that holds a lock file of the folder, as text; nil if the file is free or does
    /// not exist.
    func holder(ofLock name: String) -> String? {
        let descriptor = open(file(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let text = String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }
}
