import Cryptography

/// A key that a program proves itself with. Its file says whose it is and which, by its name:
///
///     <application>.<key id>.key       HMAC-SHA-256: 32 bytes that client and server share
///     <application>.<key id>.ed25519   Ed25519: the private key, at the client
///     <application>.<key id>.pub       Ed25519: the public key, at the server
///
/// Of one application there may be several, so that they rotate.
package struct ApplicationKey: Sendable {
    /// The application that it is a key of.
    package let application: String
    /// Which of its keys.
    package let keyID: String
    /// The key.
    package let key: any ApplicationProver

    /// The key in `path`, a file `<application>.<key id>.key` or `….ed25519`.
    /// - Throws: `ApplicationsError` for another name, `SecretFileError` for a file that is missing,
    ///   too open or no key, `CryptographyError` for a key that is none.
    package init(file path: String) throws {
        let name = try ApplicationKeyName(path)
        application = name.application
        keyID = name.keyID
        switch name.kind {
        case .shared: key = KeyedHash(key: try SecretFile.readKey(path))
        case .signing: key = try Ed25519SigningKey(file: path)
        case .verifying: throw ApplicationsError.notAKeyName(name.fileName)
        }
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
struct ApplicationKeyName: Equatable {
    enum Kind: String {
        case shared = "key"
        case signing = "ed25519"
        case verifying = "pub"
    }

    let application: String
    let keyID: String
    let kind: Kind

    var fileName: String { "\(application).\(keyID).\(kind.rawValue)" }

    /// - Throws: `ApplicationsError.notAKeyName`.
    init(_ path: String) throws {
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
    static func all(of application: String, in folder: String) throws -> [ApplicationKeyName] {
        let endings = [Kind.shared, .signing, .verifying].map { ".\($0.rawValue)" }
        return try FolderListing.fileNames(in: folder)
            .filter { name in
                name.hasPrefix("\(application).") && endings.contains(where: name.hasSuffix)
            }
            .map(ApplicationKeyName.init)
    }
}
