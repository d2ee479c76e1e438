package import Cryptography
import Messages

/// A caller that has proved who it is.
package struct Application: Sendable {
    /// Its name, for instance `gateway`.
    package let name: String
    /// Whether it may say from which address its user comes.
    package let mayAssertClientAddress: Bool
}

/// The applications that a server takes calls from. No list: nobody.
package struct Applications: Sendable {
    private struct Entry: Sendable {
        let application: Application
        let keyID: String
        let key: KeyedHash
    }

    private let entries: [Entry]

    /// No application: every Hello is refused.
    package static let nobody = Applications(entries: [])

    private init(entries: [Entry]) {
        self.entries = entries
    }

    /// One application with one key.
    package init(name: String, keyID: String, key: KeyedHash, mayAssertClientAddress: Bool) {
        let application = Application(name: name, mayAssertClientAddress: mayAssertClientAddress)
        self.init(entries: [Entry(application: application, keyID: keyID, key: key)])
    }

    /// Reads the keys of the `allowed` applications from `folder`, where each key is a file
    /// `<application>.<key id>.key`; several of one application so that they rotate.
    /// - Throws: `ApplicationsError` when the folder cannot be read or an application has no key.
    package init(folder: String, allowed: [String], assertingClientAddress: [String]) throws {
        var entries: [Entry] = []
        for name in allowed {
            let application = Application(
                name: name, mayAssertClientAddress: assertingClientAddress.contains(name))
            let keys = try ApplicationKey.all(of: name, in: folder)
            guard !keys.isEmpty else { throw ApplicationsError.noKey(name, folder: folder) }
            entries += keys.map { Entry(application: application, keyID: $0.keyID, key: $0.key) }
        }
        self.init(entries: entries)
    }

    /// The application whose key made the Hello's proof over `challenge`; nil when none did.
    func verified(_ hello: WireV1.Hello, challenge: [UInt8]) -> Application? {
        for entry in entries
        where entry.keyID == hello.keyId && entry.application.name == hello.application {
            let expected = ApplicationProof.make(challenge: challenge, hello, key: entry.key)
            if constantTimeEqual(expected, hello.proof) { return entry.application }
        }
        return nil
    }
}

/// Why the applications' keys could not be read; each says what to do.
package enum ApplicationsError: Error, CustomStringConvertible {
    /// The folder is missing or closed to us.
    case noFolder(String)
    /// An application has no key.
    case noKey(String, folder: String)
    /// A file that is not named like a key.
    case notAKeyName(String)

    package var description: String {
        switch self {
        case .noFolder(let folder):
            "cannot read the folder of application keys \(folder): create it or correct the setting"
        case .noKey(let name, let folder):
            "the application \(name) has no key: put \(name).KEYID.key (32 random bytes) into \(folder)"
        case .notAKeyName(let name):
            "\(name) is not named like an application's key: APPLICATION.KEYID.key"
        }
    }
}
