import Cryptography
import Messages

/// A caller that has authenticated itself.
package struct Application: Sendable {
    /// Its name, for example `gateway`.
    package let name: String
    /// Whether it may assert the IP address of its user.
    package let mayAssertClientAddress: Bool
    /// The methods that it may call; nil for all.
    let methods: [MethodPattern]?
}

/// The applications that may call a server, with their keys and the names in their certificates.
/// Without a list no application may call.
package struct Applications: Sendable {
    private struct Key: Sendable {
        let application: Application
        let keyID: String
        let verifier: any ApplicationVerifier
        let fingerprint: [UInt8]
        var isShared: Bool { verifier is KeyedHash }
    }

    private let keys: [Key]
    private let byCertificate: [(application: Application, names: [String])]

    /// No application: every Hello is rejected.
    package static let nobody = Applications(keys: [], byCertificate: [])

    private init(keys: [Key], byCertificate: [(application: Application, names: [String])]) {
        self.keys = keys
        self.byCertificate = byCertificate
    }

    /// One application with one key.
    package init(
        name: String, keyID: String, key: any ApplicationProver, mayAssertClientAddress: Bool
    ) {
        let application = Application(
            name: name, mayAssertClientAddress: mayAssertClientAddress, methods: nil)
        self.init(
            keys: [Self.key(of: application, keyID: keyID, key.verifier)],
            byCertificate: [(application, [name])])
    }

    /// Reads the keys of the `callers` from `folder`; `ApplicationKey` documents the file names.
    /// - Parameter needsKeys: whether an application without a key is an error. Not so where
    ///   callers present certificates, nor at a reload, when removing an application's key is how
    ///   it is shut out.
    /// - Parameter sharedKeys: which shared keys are accepted.
    /// - Throws: `ApplicationsError` when the folder cannot be read, or when an application has no
    ///   key or a shared one that is rejected; `SecretFileError` and `CryptographyError` for a key
    ///   that cannot be read.
    package init(
        folder: String, callers: CallersList, needsKeys: Bool, sharedKeys: SharedKeyRule
    ) throws {
        var keys: [Key] = []
        var byCertificate: [(application: Application, names: [String])] = []
        for caller in callers.entries {
            let application = Application(
                name: caller.application, mayAssertClientAddress: caller.mayAssertClientAddress,
                methods: caller.methods)
            let own = try Self.keys(of: application, in: folder, sharedKeys)
            guard !own.isEmpty || !needsKeys else {
                throw ApplicationsError.noKey(caller.application, folder: folder)
            }
            keys += own
            byCertificate.append((application, caller.certificateNames))
        }
        self.init(keys: keys, byCertificate: byCertificate)
    }

    /// As above, for applications that may call everything and authenticate by key.
    /// - Throws: As above.
    package init(
        folder: String, allowed: [String], assertingClientAddress: [String],
        sharedKeys: SharedKeyRule
    ) throws {
        try self.init(
            folder: folder,
            callers: CallersList(allowed, assertingClientAddress: assertingClientAddress),
            needsKeys: true, sharedKeys: sharedKeys)
    }

    /// The applications that authenticate by a shared key, each once.
    package var withSharedKeys: [String] {
        Set(keys.filter(\.isShared).map(\.application.name)).sorted()
    }

    private static func keys(
        of application: Application, in folder: String, _ sharedKeys: SharedKeyRule
    ) throws -> [Key] {
        try ApplicationKeyName.all(of: application.name, in: folder).compactMap { name in
            let path = "\(folder)/\(name.fileName)"
            switch name.kind {
            case .secret:
                // A private key is useless here: a server needs the public one.
                let secret = try ApplicationKey.secret(path)
                guard secret is KeyedHash else { return nil }
                try sharedKeys.check(application.name, path)
                return key(of: application, keyID: name.keyID, secret.verifier)
            case .verifying:
                let verifier = try Ed25519VerifyingKey(file: path)
                return key(of: application, keyID: name.keyID, verifier)
            case .signing: return nil  // the client's private key
            }
        }
    }

    private static func key(
        of application: Application, keyID: String, _ verifier: any ApplicationVerifier
    ) -> Key {
        Key(
            application: application, keyID: keyID, verifier: verifier,
            fingerprint: verifier.fingerprint)
    }

    /// All applications.
    var all: [Application] { byCertificate.map(\.application) }

    /// The caller that sent `hello` in response to `challenge`; nil when the proof is not valid.
    ///
    /// An empty proof is accepted only from a client that presented a certificate. Then the
    /// certificate's names must belong to `application`.
    func verified(
        _ hello: WireV1.Hello, challenge: [UInt8], over channel: ChannelIdentity = .plaintext
    ) -> Caller? {
        if hello.proof.isEmpty {
            return application(hello.application, shownBy: channel.peerNames).map {
                Caller(application: $0, credential: .certificate)
            }
        }
        let message = ApplicationProof.message(
            challenge: challenge, hello, leafHash: channel.leafHash)
        for key in keys
        where key.keyID == hello.keyId && key.application.name == hello.application
            && key.verifier.verifies(proof: hello.proof, of: message)
        {
            return Caller(application: key.application, credential: .key(key.fingerprint))
        }
        return nil
    }

    /// Whether a caller that an earlier list admitted may still call.
    func standing(of caller: Caller, over channel: ChannelIdentity) -> CallerStanding {
        let name = caller.application.name
        switch caller.credential {
        case .certificate:
            return application(name, shownBy: channel.peerNames).map { .admitted($0) } ?? .removed
        case .key(let fingerprint):
            let own = keys.filter { $0.application.name == name }
            if let key = own.first(where: { $0.fingerprint == fingerprint }) {
                return .admitted(key.application)
            }
            return own.isEmpty ? .removed : .keyRemoved
        }
    }

    private func application(_ name: String, shownBy peerNames: [String]) -> Application? {
        byCertificate.first { application, names in
            application.name == name && names.contains { peerNames.contains($0) }
        }?.application
    }
}
