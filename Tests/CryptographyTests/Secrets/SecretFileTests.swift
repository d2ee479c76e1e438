import Glibc
import Testing

@testable import Cryptography

@Suite("Secret files")
struct SecretFileTests {
    private let key = [UInt8](0..<32).map { $0 &* 7 &+ 129 }

    @Test("a key is read from raw bytes, hexadecimal and Base64, each with or without a newline")
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

    @Test("what is no key is refused: text of 32 bytes, other lengths, two newlines, spaces")
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

    @Test("a file that group or others may read is refused, and the error says what to do")
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

    @Test("no file, a folder, nothing and too much are refused")
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

    @Test("a secret that is created is its owner's alone, reads back, and is never replaced")
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

    /// A file of mode 600 with `content` in the temporary folder, for the time of `body`.
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
