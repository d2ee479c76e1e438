import Cryptography

/// The program `age` of the Debian package of that name (age-encryption.org): it encrypts and opens
/// backups.
struct AgeProgram: Sendable {
    /// The one that `PATH` has. It needs less than a millisecond for 64 KiB: when it has done
    /// nothing for a minute, it was stopped, or the disk that it reads from hangs.
    static let installed = AgeProgram(path: "age", patience: .seconds(60))

    /// A path, or a name that is looked up in `PATH`.
    let path: String
    /// How long it may neither take nor send a byte.
    let patience: Duration

    /// Starts to encrypt what the process is given.
    /// - Parameters:
    ///   - recipients: `age1…`, the public halves of keys.
    ///   - file: the file that errors name.
    /// - Throws: `ToolError`.
    func encrypting(to recipients: [String], named file: String) throws -> AgeProcess {
        try AgeProcess(
            path, ["--encrypt"] + recipients.flatMap { ["--recipient", $0] }, input: nil,
            about: file, patience: patience, asks: false)
    }

    /// Encrypts nothing to the recipients. So one that is mistyped, or a missing program, is an
    /// error before a service holds its commits for the backup.
    /// - Throws: `ToolError`.
    func tryOut(_ recipients: [String]) throws {
        _ = try encrypting(to: recipients, named: "--recipient").finish()
    }

    /// Starts to open an encrypted file.
    ///
    /// The key reaches it by its file: every user of the machine may read the arguments.
    /// - Parameters:
    ///   - descriptor: the open file.
    ///   - file: its name, for errors.
    ///   - identity: the file of the key; nil to have it ask for a passphrase at the terminal, for
    ///     which a person has any time.
    /// - Throws: `ToolError`.
    func opening(
        _ descriptor: Int32, named file: String, identity: String?
    ) throws -> AgeProcess {
        // `-` would be its standard input.
        let options = identity.map { ["--identity", $0 == "-" ? "./-" : $0] } ?? []
        let advice = "; --identity FILE opens a backup to a key"
        return try AgeProcess(
            path, ["--decrypt"] + options, input: descriptor, about: file,
            advice: identity == nil ? advice : "", patience: patience,
            asks: identity == nil)
    }

    /// A new key pair, by the package's second program.
    /// - Parameter file: the file that errors name.
    /// - Returns: the text of its identity file, and its public half.
    /// - Throws: `ToolError`.
    static func newKey(named file: String) throws -> (identity: SecretBytes, recipient: String) {
        let process = try AgeProcess(
            "age-keygen", [], input: nil, about: file, patience: installed.patience, asks: false)
        var text: [UInt8] = []
        text.reserveCapacity(SecretFile.bytesMax)  // so that no copy of it is left behind
        defer { wipe(&text) }
        while var part = try process.read() {
            text += part
            wipe(&part)
        }
        guard let recipient = publicHalf(of: text) else {
            throw ToolError("\(file): age-keygen has not named a recipient")
        }
        return (SecretBytes(copying: text), recipient)
    }

    private static func publicHalf(of identity: [UInt8]) -> String? {
        let prefix = Array("# public key: ".utf8)
        return identity.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: prefix) }
            .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
    }
}
