import Cryptography

/// A key that a program proves itself with: Ed25519. Its file says whose it is and which, by its name:
///
///     <application>.<key id>.key   the private half, PEM (PKCS #8), at the client only
///     <application>.<key id>.pub   the public half, PEM (SubjectPublicKeyInfo), at its servers
///
/// Two older forms are read too: a `.key` of 32 bytes (raw, hexadecimal or Base64) is a secret that
/// client and server share (HMAC-SHA-256), where `SharedKeyRule` allows it; a private half may be
/// named `.ed25519`. Of one application there may be several keys, so that they rotate.
package struct ApplicationKey: Sendable {
    /// The application that it is a key of.
    package let application: String
    /// Which of its keys.
    package let keyID: String
    /// The key.
    package let key: any ApplicationProver

    /// Whether its server has the same key, and so can prove itself as this application too.
    package var isShared: Bool { key is KeyedHash }

    /// The key in `path`, a file `<application>.<key id>.key` or `….ed25519`.
    /// - Throws: `ApplicationsError` for another name and for PEM of another kind of key,
    ///   `SecretFileError` for a file that is missing, too open or no key, `CryptographyError` for
    ///   a key that is none.
    package init(file path: String) throws {
        let name = try ApplicationKeyName(path)
        application = name.application
        keyID = name.keyID
        switch name.kind {
        case .secret: key = try Self.secret(path)
        case .signing: key = try Ed25519SigningKey(file: path)
        case .verifying: throw ApplicationsError.notAKeyName(name.fileName)
        }
    }

    /// The key in a file `….key`: a private half, or an older key that is shared.
    static func secret(_ path: String) throws -> any ApplicationProver {
        do {
            if let key = try Ed25519SigningKey(pem: SecretFile.read(path)) { return key }
        } catch is CryptographyError {
            throw ApplicationsError.notEd25519(path)
        }
        return KeyedHash(key: try SecretFile.readKey(path))
    }

    /// The first key of `application` in `folder`, by name.
    package static func first(of application: String, in folder: String) throws -> ApplicationKey {
        let names = try ApplicationKeyName.all(of: application, in: folder)
        guard let name = names.first(where: { $0.kind != .verifying }) else {
            throw ApplicationsError.noKey(application, folder: folder)
        }
        return try ApplicationKey(file: "\(folder)/\(name.fileName)")
    }
}

/// What a key file's name says.
package struct ApplicationKeyName: Hashable, Sendable {
    /// Which half of a key a file holds.
    package enum Kind: String, Sendable {
        /// A private half, or an older key that is shared.
        case secret = "key"
        /// A private half under its older name.
        case signing = "ed25519"
        /// A public half.
        case verifying = "pub"
    }

    /// Whose key it is.
    package let application: String
    /// Which of its keys.
    package let keyID: String
    /// Which half.
    package let kind: Kind

    /// The name without its folder.
    package var fileName: String { "\(application).\(keyID).\(kind.rawValue)" }

    /// The name of a file.
    package init(application: String, keyID: String, kind: Kind) {
        self.application = application
        self.keyID = keyID
        self.kind = kind
    }

    /// What the name of the file `path` says.
    /// - Throws: `ApplicationsError.notAKeyName`.
    package init(_ path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = Kind(rawValue: String(parts[2])), !parts[0].isEmpty,
            !parts[1].isEmpty
        else { throw ApplicationsError.notAKeyName(String(name)) }
        application = String(parts[0])
        keyID = String(parts[1])
        self.kind = kind
    }

    /// Of every key of `application` in `folder`, sorted.
    /// - Throws: `ApplicationsError` for a folder that cannot be read or a strange name in it.
    package static func all(
        of application: String, in folder: String
    ) throws -> [ApplicationKeyName] {
        try all(in: folder) { $0.hasPrefix("\(application).") }
    }

    /// Of every key in `folder`, sorted.
    /// - Throws: As above.
    package static func all(in folder: String) throws -> [ApplicationKeyName] {
        try all(in: folder) { _ in true }
    }

    private static func all(
        in folder: String, where isWanted: (String) -> Bool
    ) throws -> [ApplicationKeyName] {
        try fileNames(in: folder).filter(isWanted).map { try ApplicationKeyName($0) }
    }

    /// The names in `folder` that end like a key's, sorted; they may be none for all that.
    /// - Throws: `ApplicationsError` for a folder that cannot be read.
    package static func fileNames(in folder: String) throws -> [String] {
        let endings = [Kind.secret, .signing, .verifying].map { ".\($0.rawValue)" }
        return try FolderListing.fileNames(in: folder)
            .filter { name in endings.contains(where: name.hasSuffix) }
    }
}
