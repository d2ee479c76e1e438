import Glibc
import Testing

@testable import Cryptography

@Suite("Secret files")
struct SecretFileTests {
    private let key = [UInt8](0..<32).map { $0 &* 7 &+ 129 }

    @Test("a key is read as raw bytes, or as hexadecimal or Base64 with or without a newline")
    func forms() throws {
        let texts = [
            key, Array(Hex.encode(key).utf8), Array(Hex.encode(key).utf8) + [10],
            Array(Base64.encode(key).utf8), Array(Base64.encode(key).utf8) + [10],
        ]
        for text in texts {
            try withFile(text) { path in
                let read = try SecretFile.readKey(path)
                #expect(read == SecretBytes(copying: key))
            }
        }
    }

    @Test("text of 32 bytes, other lengths, two newlines and spaces are rejected as keys")
    func notKeys() throws {
        let texts = [
            Array("0123456789abcdef0123456789abcdef".utf8), Array(key.dropLast()), key + [10],
            Array(Hex.encode(key).utf8) + [10, 10], [32] + Array(Hex.encode(key).utf8),
            Array(Hex.encode(key + key).utf8),
        ]
        for text in texts {
            try withFile(text) { path in
                #expect(throws: SecretFileError.notAKey(path: path)) {
                    try SecretFile.readKey(path)
                }
            }
        }
    }

    @Test("a folder for keys is made with those above it, for its owner only")
    func folder() throws {
        var base = Array("/tmp/postern-keys.XXXXXX".utf8CString)
        try #require(mkdtemp(&base) != nil)
        let top = String(decoding: base.dropLast().map(UInt8.init), as: UTF8.self)
        defer { for path in ["\(top)/a/keys", "\(top)/a", top] { rmdir(path) } }
        for _ in 0..<2 { try SecretFile.makeFolder("\(top)/a/keys") }
        var status = stat()
        #expect(stat("\(top)/a/keys", &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(throws: SecretFileError.unreadable(path: "/dev/null/keys", errno: ENOTDIR)) {
            try SecretFile.makeFolder("/dev/null/keys")
        }
    }

    @Test("a file with access for group or others is rejected, and the error says what to do")
    func exposed() throws {
        for mode: mode_t in [0o640, 0o604, 0o620, 0o601] {
            try withFile(key) { path in
                chmod(path, mode)
                let error = #expect(throws: SecretFileError.self) { try SecretFile.read(path) }
                #expect(error == .exposed(path: path, mode: mode))
                #expect(error?.description.contains("chmod 600 \(path)") == true)
            }
        }
    }

    @Test("a missing, empty or too large file and a folder are rejected")
    func others() throws {
        #expect(throws: SecretFileError.unreadable(path: "/nonexistent", errno: ENOENT)) {
            try SecretFile.read("/nonexistent")
        }
        #expect(throws: SecretFileError.notAFile(path: "/")) { try SecretFile.read("/") }
        try withFile([]) { path in
            #expect(throws: SecretFileError.size(path: path, bytes: 0)) {
                try SecretFile.read(path)
            }
        }
        try withFile([UInt8](repeating: 1, count: 4_097)) { path in
            #expect(throws: SecretFileError.size(path: path, bytes: 4_097)) {
                try SecretFile.read(path)
            }
        }
    }

    @Test("a created secret is readable by its owner only and is never replaced")
    func create() throws {
        try withFile([1]) { path in
            #expect(throws: SecretFileError.unreadable(path: path, errno: EEXIST)) {
                try SecretFile.create(path, SecretBytes(copying: key))
            }
            #expect(try SecretFile.read(path) == SecretBytes(copying: [1]))
            unlink(path)
            try SecretFile.create(path, SecretBytes(copying: key))
            var status = stat()
            stat(path, &status)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(try SecretFile.readKey(path) == SecretBytes(copying: key))
        }
    }

    /// Writes a file of mode 600 with `content` and deletes it after `body`.
    private func withFile(_ content: [UInt8], _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/postern-secret-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        try #require(file >= 0)
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        #expect(write(file, content, content.count) == content.count)
        close(file)
        try body(path)
    }
}
