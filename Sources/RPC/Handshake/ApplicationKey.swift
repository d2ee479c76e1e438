import Cryptography
import Glibc
package import ServiceRuntime

/// An Ed25519 key with which a program authenticates itself. The file's name gives the application
/// and the key id:
///
///     <application>.<key id>.key   the private key, PEM (PKCS #8), at the client only
///     <application>.<key id>.pub   the public key, PEM (SubjectPublicKeyInfo), at its servers
///
/// Two older forms are also read. A `.key` file of 32 bytes (raw, hexadecimal or Base64) is a
/// secret that client and server share (HMAC-SHA-256), where `SharedKeyRule` allows it. A private
/// key may be named `.ed25519`. An application may have several keys, so that they can be rotated.
package struct ApplicationKey: Sendable {
    /// The application that owns the key.
    package let application: String
    /// The key id.
    package let keyID: String
    /// The key.
    package let key: any ApplicationProver

    /// Whether the server has the same key, and so could authenticate as this application itself.
    package var isShared: Bool { key is KeyedHash }

    /// The key in `path`, a file `<application>.<key id>.key` or `….ed25519`.
    /// - Throws: `ApplicationsError` for another file name and for PEM of another kind of key,
    ///   `SecretFileError` for a file that is missing, that other users may read, or that holds no
    ///   key, `CryptographyError` for an invalid key.
    package init(file path: String) throws {
        let name = try Name(path)
        application = name.application
        keyID = name.keyID
        switch name.kind {
        case .secret: key = try Self.secret(path)
        case .signing: key = try Ed25519SigningKey(file: path)
        case .verifying: throw ApplicationsError.notAKeyName(name.fileName)
        }
    }

    /// The key in a `.key` file: a private key, or an older shared key.
    /// - Throws: `ApplicationsError.notEd25519` for PEM of another kind, `SecretFileError`.
    static func secret(_ path: String) throws -> any ApplicationProver {
        do {
            if let key = try Ed25519SigningKey(pem: SecretFile.read(path)) { return key }
        } catch is CryptographyError {
            throw ApplicationsError.notEd25519(path)
        }
        return KeyedHash(key: try SecretFile.readKey(path))
    }

    /// The first key of `application` in `folder`, by name.
    /// - Throws: `ApplicationsError` for a folder that cannot be read, a file name that is not a
    ///   key's, or an application without a key; otherwise as `init(file:)`.
    package static func first(of application: String, in folder: String) throws -> ApplicationKey {
        let names = try Name.all(of: application, in: folder)
        guard let name = names.first(where: { $0.kind != .verifying }) else {
            throw ApplicationsError.noKey(application, folder: folder)
        }
        return try ApplicationKey(file: "\(folder)/\(name.fileName)")
    }

    /// The parts of a key file's name.
    package struct Name: Hashable, Sendable {
        /// The content of a key file.
        package enum Kind: String, Sendable {
            /// A private key, or an older shared key.
            case secret = "key"
            /// A private key under its older name.
            case signing = "ed25519"
            /// A public key.
            case verifying = "pub"
        }

        /// The application that owns the key.
        package let application: String
        /// The key id.
        package let keyID: String
        /// Private or public.
        package let kind: Kind

        /// The file name without its folder.
        package var fileName: String { "\(application).\(keyID).\(kind.rawValue)" }

        /// The name of a key file.
        package init(application: String, keyID: String, kind: Kind) {
            self.application = application
            self.keyID = keyID
            self.kind = kind
        }

        /// Parses the name of the file `path`.
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

        /// The names of all keys of `application` in `folder`, sorted.
        /// - Throws: `ApplicationsError` for a folder that cannot be read, or for a file in it
        ///   whose name is not a key's.
        package static func all(
            of application: String, in folder: String
        ) throws -> [Name] {
            try all(in: folder) { $0.hasPrefix("\(application).") }
        }

        /// The names of all keys in `folder`, sorted.
        /// - Throws: As above.
        package static func all(in folder: String) throws -> [Name] {
            try all(in: folder) { _ in true }
        }

        private static func all(
            in folder: String, where isWanted: (String) -> Bool
        ) throws -> [Name] {
            try fileNames(in: folder).filter(isWanted).map { try Name($0) }
        }

        /// The file names in `folder` with a key's extension, sorted. They may still not be valid
        /// key names.
        /// - Throws: `ApplicationsError` for a folder that cannot be read.
        package static func fileNames(in folder: String) throws -> [String] {
            let endings = [Kind.secret, .signing, .verifying].map { ".\($0.rawValue)" }
            return try entryNames(inFolder: folder)
                .filter { name in endings.contains(where: name.hasSuffix) }
        }
    }
}

extension ApplicationKey {
    /// How long a new key must have existed before it is used. This is longer than servers take to
    /// notice it (setting `credentials-interval`).
    private static let settleTime = Duration.seconds(30)

    /// The key file that a client of `application` should use at `now`: the newest that every
    /// server has had time to notice, or the oldest if there is no such key. A rotation therefore
    /// needs only three steps: add the new key everywhere, wait a minute, remove the old one.
    /// - Returns: nil when the application has no key.
    /// - Throws: `ApplicationsError` for a folder that cannot be read, or for a file in it whose
    ///   name is not a key's.
    package static func currentFile(
        of application: String, in folder: String, now: Timestamp
    ) throws -> String? {
        let files = try Name.all(of: application, in: folder)
            .filter { $0.kind != .verifying }
            .map { "\(folder)/\($0.fileName)" }
            .map { (path: $0, changedAt: changedAt($0)) }
            .sorted { ($0.changedAt, $0.path) < ($1.changedAt, $1.path) }
        let settled = files.last { $0.changedAt + settleTime <= now }
        return (settled ?? files.first)?.path
    }

    /// When the file was last written. If that cannot be read, the epoch, so that the attempt to
    /// read the file reports the error.
    private static func changedAt(_ path: String) -> Timestamp {
        var status = stat()
        guard stat(path, &status) == 0 else { return Timestamp(milliseconds: 0) }
        let changed = status.st_mtim
        return Timestamp(milliseconds: 0) + .seconds(changed.tv_sec) + .nanoseconds(changed.tv_nsec)
    }
}
