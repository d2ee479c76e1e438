import Cryptography
import Messages

/// A caller that has proved who it is.
package struct Application: Sendable {
    /// Its name, for instance `gateway`.
    package let name: String
    /// Whether it may say from which address its user comes.
    package let mayAssertClientAddress: Bool
    /// What it may call; nil for everything.
    let methods: [MethodPattern]?
}

/// The applications that a server takes calls from, with their keys and the names that their
/// certificates bear. No list: nobody.
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

    /// No application: every Hello is refused.
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

    /// Reads the keys of the `callers` from `folder` (`ApplicationKey` tells their names).
    /// - Parameter needsKeys: whether an application without a key is a mistake: not where callers
    ///   show certificates, nor later, when taking its key away is how one is shut out.
    /// - Parameter sharedKeys: whose shared keys are taken.
    /// - Throws: `ApplicationsError` when the folder cannot be read, an application has no key or
    ///   a shared one that is refused.
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

    /// As above, of applications that may call everything and prove themselves by a key.
    package init(
        folder: String, allowed: [String], assertingClientAddress: [String],
        sharedKeys: SharedKeyRule
    ) throws {
        try self.init(
            folder: folder,
            callers: CallersList(allowed, assertingClientAddress: assertingClientAddress),
            needsKeys: true, sharedKeys: sharedKeys)
    }

    /// Those that prove themselves by a shared key, each once.
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
                // A private half proves nothing here: a server needs the public one.
                let secret = try ApplicationKey.secret(path)
                guard secret is KeyedHash else { return nil }
                try sharedKeys.check(application.name, path)
                return key(of: application, keyID: name.keyID, secret.verifier)
            case .verifying:
                let verifier = try Ed25519VerifyingKey(file: path)
                return key(of: application, keyID: name.keyID, verifier)
            case .signing: return nil  // the client's half
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

    /// All of them.
    var all: [Application] { byCertificate.map(\.application) }

    /// The caller that says `hello` over `challenge`; nil when it has proved nothing.
    ///
    /// An empty proof is taken only from whoever has shown a certificate, and then `application`
    /// must be one that the certificate's names stand for.
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

    /// What has become of a caller that an earlier list admitted.
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
