/// The header of an age file (https://c2sp.org/age): who can decrypt it.
///
///     age-encryption.org/v1
///     -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE
///     qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E
///     --- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s
///
/// Each recipient stanza wraps the file's key, 16 random bytes, for one recipient. Its body is
/// Base64 without padding in lines of 64 characters, the last of which is shorter. The last line is
/// an HMAC of all that precedes the space in it, under a key that is derived from the file's key:
/// only a recipient can change the header. So a reader first finds the file's key with an unchecked
/// header, and then checks the header with it. Every text has one form only: Base64 with unused
/// bits, other line ends and other spaces are refused.
struct AgeHeader: Sendable {
    /// The first line without its line feed.
    static let version = Array("age-encryption.org/v1".utf8)
    /// How the first line of every version begins.
    static let versionStart = Array("age-encryption.org/".utf8)

    private static let stanzaMark = Array("-> ".utf8)
    private static let endMark = Array("---".utf8)
    private static let bodyLineMax = 64
    private static let lineFeed = UInt8(ascii: "\n")

    private let stanzas: [AgeStanza]
    private let authenticated: [UInt8]
    private let code: [UInt8]
    private let codeOffset: Int

    /// Reads the header. It is not authentic yet.
    /// - Throws: `AgeFileError` with the line that is wrong; what reading throws.
    init(readFrom input: inout AgeInput) throws {
        try Self.readVersion(&input)
        var stanzas: [AgeStanza] = []
        var line = try input.line()
        while line.bytes.starts(with: Self.stanzaMark) {
            stanzas.append(try Self.readStanza(line, &input))
            line = try input.line()
        }
        guard line.bytes.starts(with: Self.endMark + [UInt8(ascii: " ")]),
            let code = Base64.decodeUnpadded(line.bytes.dropFirst(Self.endMark.count + 1)),
            code.count == KeyedHash.byteCount, let first = stanzas.first
        else {
            throw AgeFileError(line.offset, .malformedHeader("neither a recipient nor its end"))
        }
        // The sender of a file that only a passphrase opens knows the passphrase. With a second
        // recipient, anybody could be the sender.
        if stanzas.count > 1, stanzas.contains(where: \.isScrypt) {
            throw AgeFileError(
                first.offset, .malformedHeader("a passphrase is not the only recipient"))
        }
        self.stanzas = stanzas
        self.code = code
        codeOffset = line.offset
        authenticated = input.header.dropLast(line.bytes.count + 1) + Self.endMark
    }

    /// The file's key by the first identity that fits. Then the header is authentic. Takes about a
    /// second with a passphrase.
    /// - Throws: `AgeFileError`; `CryptographyError` when OpenSSL fails.
    func fileKey(for identities: [AgeIdentity]) throws -> SecretBytes {
        for stanza in stanzas {
            for identity in identities {
                guard let fileKey = try stanza.fileKey(for: identity) else { continue }
                guard Self.codes(fileKey).verifies(code, of: authenticated) else {
                    throw AgeFileError(codeOffset, .headerNotAuthentic)
                }
                return fileKey
            }
        }
        throw AgeFileError(stanzas.first?.offset ?? 0, noMatch(identities))
    }

    private func noMatch(_ identities: [AgeIdentity]) -> AgeFileError.Reason {
        let hasPassphrase = identities.contains {
            if case .passphrase = $0 { true } else { false }
        }
        let hasKey = identities.contains {
            if case .x25519 = $0 { true } else { false }
        }
        if stanzas.contains(where: \.isScrypt) {
            return hasPassphrase ? .wrongPassphrase : .needsPassphrase
        }
        return hasKey ? .wrongKey : .needsKey
    }

    /// A header of these stanzas' texts.
    static func text(_ stanzas: [String], fileKey: SecretBytes) -> [UInt8] {
        let authenticated = version + [lineFeed] + stanzas.flatMap { Array($0.utf8) } + endMark
        let code = Base64.encodeUnpadded(codes(fileKey).hash(authenticated))
        return authenticated + Array(" \(code)\n".utf8)
    }

    private static func codes(_ fileKey: SecretBytes) -> KeyedHash {
        KeyedHash(
            key: KeyDerivation.derive(
                from: fileKey, salt: [], info: Array("header".utf8), count: KeyedHash.byteCount))
    }

    private static func readVersion(_ input: inout AgeInput) throws {
        let expected = version + [lineFeed]
        let start = try input.peek(expected.count)
        guard start.elementsEqual(expected) else {
            if expected.starts(with: start) { throw AgeFileError(0, .truncated) }
            if start.starts(with: versionStart) {
                throw AgeFileError(
                    0, .malformedHeader("another version than age-encryption.org/v1"))
            }
            if start.starts(with: "-----BEGIN AGE".utf8) {
                throw AgeFileError(0, .malformedHeader("the file is in ASCII armor"))
            }
            throw AgeFileError(0, .notAgeFile)
        }
        _ = try input.line()
    }

    /// Reads a stanza whose first line has been read.
    private static func readStanza(
        _ first: AgeInput.Line, _ input: inout AgeInput
    ) throws -> AgeStanza {
        let arguments = first.bytes.dropFirst(stanzaMark.count)
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard arguments.allSatisfy({ !$0.isEmpty && $0.allSatisfy { 0x21...0x7E ~= $0 } }) else {
            throw AgeFileError(
                first.offset, .malformedHeader("a recipient with a space or character too many"))
        }
        var body: [UInt8] = []
        while true {
            let line = try input.line()
            guard line.bytes.count <= bodyLineMax, let bytes = Base64.decodeUnpadded(line.bytes)
            else {
                throw AgeFileError(line.offset, .malformedHeader("not canonical Base64"))
            }
            body += bytes
            if line.bytes.count < bodyLineMax { break }
        }
        return try AgeStanza(
            offset: first.offset,
            arguments: arguments.map { String(decoding: $0, as: UTF8.self) }, body: body)
    }
}
