import COpenSSL
import Glibc
import ServiceRuntime

/// Why a secret could not be read from its file or written to it. The text says what to do and
/// contains nothing of the secret.
package enum SecretFileError: Error, Equatable, CustomStringConvertible {
    /// A system call failed with this `errno`.
    case unreadable(path: String, errno: Int32)
    /// Not a regular file.
    case notAFile(path: String)
    /// Other users of the machine may read or write it.
    case exposed(path: String, mode: UInt32)
    /// Empty, or larger than `SecretFile.bytesMax`.
    case size(path: String, bytes: Int)
    /// Neither 32 raw bytes nor their hexadecimal or Base64 text.
    case notAKey(path: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .notAFile(let path): "\(path) is not an ordinary file"
        case .exposed(let path, let mode):
            "\(path) can be read or written by others (mode \(String(mode, radix: 8))): chmod 600 \(path)"
        case .size(let path, let bytes):
            "\(path) holds \(bytes) bytes; a secret has 1 to \(SecretFile.bytesMax)"
        case .notAKey(let path):
            "\(path) holds no key: 32 raw bytes, 64 hexadecimal digits or 44 characters of Base64"
        }
    }
}

/// Secrets in files of their own that only their owner may read.
package enum SecretFile {
    /// The largest secret file, in bytes. A PEM key is below 4 KiB.
    package static let bytesMax = 4_096
    /// The length of a key in bytes, for AES-256 and HMAC-SHA-256.
    package static let keyBytes = 32

    /// Reads the whole content of a file, without trimming.
    /// - Throws: `SecretFileError`, also when group or others have any access to the file.
    package static func read(_ path: String) throws -> SecretBytes {
        try read(path, forbidden: 0o077, bytesMax: bytesMax)
    }

    /// Reads the whole content of a file that is not secret, such as a public key, but that only
    /// its owner may write.
    /// - Throws: `SecretFileError`, also when group or others may write the file.
    package static func readPublic(
        _ path: String, bytesMax: Int = SecretFile.bytesMax
    ) throws -> SecretBytes {
        try read(path, forbidden: 0o022, bytesMax: bytesMax)
    }

    private static func read(
        _ path: String, forbidden: mode_t, bytesMax: Int
    ) throws -> SecretBytes {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SecretFileError.unreadable(path: path, errno: errno) }
        defer { _ = close(file) }
        // Checks the open file instead of the path, so that the file cannot be replaced in between.
        var status = stat()
        guard fstat(file, &status) == 0 else {
            throw SecretFileError.unreadable(path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SecretFileError.notAFile(path: path) }
        guard status.st_mode & forbidden == 0 else {
            throw SecretFileError.exposed(path: path, mode: status.st_mode & 0o777)
        }
        guard (1...bytesMax).contains(Int(status.st_size)) else {
            throw SecretFileError.size(path: path, bytes: Int(status.st_size))
        }
        return try SecretBytes(count: Int(status.st_size)) { buffer in
            try fill(buffer, from: file, path: path)
        }
    }

    /// Reads a file without one newline at its end: a token or password as an editor or `echo`
    /// writes it.
    /// - Throws: `SecretFileError`.
    package static func readLine(_ path: String) throws -> SecretBytes {
        let content = try read(path)
        return content.withBytes { bytes in
            bytes.last == UInt8(ascii: "\n") ? SecretBytes(copying: bytes.dropLast()) : content
        }
    }

    /// Reads a 32-byte key from a file in one of three forms: the 32 bytes themselves, 64
    /// hexadecimal digits, or 44 characters of padded Base64. One newline may follow a text form.
    /// Everything else is rejected, including 32 bytes of plain ASCII text, which are a password or
    /// half a key, not 32 random bytes.
    /// - Throws: `SecretFileError`.
    package static func readKey(_ path: String) throws -> SecretBytes {
        let content = try read(path)
        let key = content.withBytes { bytes -> SecretBytes? in
            if bytes.count == keyBytes {
                return bytes.allSatisfy { (0x09...0x7E).contains($0) } ? nil : content
            }
            let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
            guard var key = text.count == 64 ? Hex.decode(text) : Base64.decode(text) else {
                return nil
            }
            let secret = SecretBytes(taking: &key)
            return secret.count == keyBytes ? secret : nil
        }
        guard let key else { throw SecretFileError.notAKey(path: path) }
        return key
    }

    /// Creates a folder and the folders above it that do not exist, for their owner only. They are
    /// on disk on return.
    /// - Throws: `SecretFileError`.
    package static func makeFolder(_ path: String) throws {
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += part
            guard Files.makeFolder(made) else {
                throw SecretFileError.unreadable(path: made, errno: errno)
            }
            made += "/"
        }
    }

    /// Writes `secret` to a new file that only its owner may read. Returns once the file and its
    /// folder entry are on disk. The file appears complete or not at all, since another program may
    /// look for it at this moment, and a crash must not leave an empty key.
    /// - Throws: `SecretFileError`, with `EEXIST` for an existing file, which is never changed.
    package static func create(_ path: String, _ secret: SecretBytes) throws {
        // A unique name for each draft. Process ids can be equal in two containers that share a
        // folder of keys, and one would truncate the other's draft.
        var draft = Array("\(path).XXXXXX".utf8CString)
        let file = mkstemp(&draft)
        guard file >= 0 else { throw SecretFileError.unreadable(path: path, errno: errno) }
        defer { _ = unlink(draft) }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        let isOnDisk = secret.withBytes { Files.write($0, to: file) } && fsync(file) == 0
        let code = errno
        _ = close(file)
        guard isOnDisk else { throw SecretFileError.unreadable(path: path, errno: code) }
        // A link instead of a rename, since it never replaces an existing key.
        guard link(draft, path) == 0, syncFolder(of: path) else {
            throw SecretFileError.unreadable(path: path, errno: errno)
        }
    }

    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from file: Int32, path: String
    ) throws {
        guard let count = Files.read(into: buffer, from: file) else {
            throw SecretFileError.unreadable(path: path, errno: errno)
        }
        // A file that shrank during the read is treated like a read error.
        guard count == buffer.count else {
            throw SecretFileError.unreadable(path: path, errno: EIO)
        }
    }

    private static func syncFolder(of path: String) -> Bool {
        Files.sync(Files.folder(of: path))
    }
}
