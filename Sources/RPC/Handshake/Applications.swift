package import Cryptography
import Messages
package import ServiceRuntime

/// A caller that has authenticated itself.
package struct Application: Sendable {
    /// Its name, for example `gateway`.
    package let name: String
    /// Whether it may assert the IP address of its user.
    package let mayAssertClientAddress: Bool
    /// Whether its calls may carry tokens of other applications.
    let mayCarryTokens: Bool
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
    package static let empty = Applications(keys: [], byCertificate: [])

    private init(keys: [Key], byCertificate: [(application: Application, names: [String])]) {
        self.keys = keys
        self.byCertificate = byCertificate
    }

    /// One application with one key.
    package init(
        name: String, keyID: String, key: any ApplicationProver, mayAssertClientAddress: Bool
    ) {
        let application = Application(
            name: name, mayAssertClientAddress: mayAssertClientAddress, mayCarryTokens: false,
            methods: nil)
        self.init(
            keys: [Self.key(of: application, keyID: keyID, key.verifier)],
            byCertificate: [(application, [name])])
    }

    /// Reads the keys of the `callers` from `folder`; `ApplicationKey` documents the file names.
    /// - Parameter needsKeys: whether an application without a key is an error. Not so where
    ///   callers present certificates, nor at a reload, when removing an application's key is how
    ///   it is shut out.
    /// - Parameter optional: applications that may be without a key even then, because they belong
    ///   to programs that an installation need not run.
    /// - Parameter sharedKeys: which shared keys are accepted.
    /// - Throws: `ApplicationsError` when the folder cannot be read, or when an application has no
    ///   key or a shared one that is rejected; `SecretFileError` and `CryptographyError` for a key
    ///   that cannot be read.
    package init(
        folder: String, callers: CallersList, needsKeys: Bool, optional: Set<String> = [],
        sharedKeys: SharedKeyRule
    ) throws {
        var keys: [Key] = []
        var byCertificate: [(application: Application, names: [String])] = []
        for caller in callers.entries {
            let application = Application(
                name: caller.application, mayAssertClientAddress: caller.mayAssertClientAddress,
                mayCarryTokens: caller.mayCarryTokens, methods: caller.methods)
            let own = try Self.keys(of: application, in: folder, sharedKeys)
            guard !own.isEmpty || !needsKeys || optional.contains(caller.application) else {
                throw ApplicationsError.noKey(caller.application, folder: folder)
            }
            keys += own
            byCertificate.append((application, caller.certificateNames))
        }
        self.init(keys: keys, byCertificate: byCertificate)
    }

    /// The applications that authenticate by a shared key, each once.
    package var withSharedKeys: [String] {
        Set(keys.filter(\.isShared).map(\.application.name)).sorted()
    }

    private static func keys(
        of application: Application, in folder: String, _ sharedKeys: SharedKeyRule
    ) throws -> [Key] {
        try ApplicationKey.Name.all(of: application.name, in: folder).compactMap { name in
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
        _ hello: WireV1.Hello, challenge: [UInt8], over channel: Caller.ChannelIdentity = .plaintext
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

    /// The application that signed the application token `text` for a call of `method` with
    /// `idempotencyKey`, and the token's claims.
    ///
    /// Never an operator's application: an attacker who took the web service over could use a token
    /// that passes through it for an operator's call with another body. Never one that itself
    /// carries tokens: it has a connection of its own. Never by a shared key: this server could make
    /// the token itself.
    /// - Throws: The reason for which the token is rejected.
    func verified(
        token text: String, method: String, idempotencyKey: [UInt8]?, audiences: Set<String>,
        now: Timestamp
    ) throws(ApplicationToken.Refusal) -> (caller: Caller, claims: ApplicationToken.Claims) {
        let (token, key, verifier) = try signed(text)
        let application = key.application
        let claims = try token.verified(
            by: verifier, of: application.name, method: method, idempotencyKey: idempotencyKey,
            audiences: audiences, at: now)
        try Self.requireMaySign(application)
        return (Caller(application: application, credential: .key(key.fingerprint)), claims)
    }

    /// The claims of an application token in a field of a request, whose idempotency key is the
    /// call's. The same applications may sign it.
    /// - Throws: The reason for which the token is rejected.
    package func verified(
        token text: String, method: String, audiences: Set<String>, now: Timestamp
    ) throws(ApplicationToken.Refusal) -> ApplicationToken.Claims {
        let (token, key, verifier) = try signed(text)
        let claims = try token.verified(
            by: verifier, of: key.application.name, method: method, audiences: audiences, at: now)
        try Self.requireMaySign(key.application)
        return claims
    }

    private func signed(
        _ text: String
    ) throws(ApplicationToken.Refusal) -> (ApplicationToken, Key, Ed25519VerifyingKey) {
        let token = try ApplicationToken(text)
        let key = keys.first { "\($0.application.name).\($0.keyID)" == token.keyIdentifier }
        guard let key, let verifier = key.verifier as? Ed25519VerifyingKey else {
            throw .signature
        }
        return (token, key, verifier)
    }

    /// Not an operator's application, nor one that carries tokens of others; see `verified`.
    private static func requireMaySign(
        _ application: Application
    ) throws(ApplicationToken.Refusal) {
        guard !CallContext.operators.contains(application.name), !application.mayCarryTokens else {
            throw .application
        }
    }

    /// Whether a caller that an earlier list permitted may still call.
    func standing(of caller: Caller, over channel: Caller.ChannelIdentity) -> Standing {
        let name = caller.application.name
        switch caller.credential {
        case .certificate:
            return application(name, shownBy: channel.peerNames).map { .permitted($0) } ?? .removed
        case .key(let fingerprint):
            let own = keys.filter { $0.application.name == name }
            if let key = own.first(where: { $0.fingerprint == fingerprint }) {
                return .permitted(key.application)
            }
            return own.isEmpty ? .removed : .keyRemoved
        }
    }

    private func application(_ name: String, shownBy peerNames: [String]) -> Application? {
        byCertificate.first { application, names in
            application.name == name && names.contains { peerNames.contains($0) }
        }?.application
    }

    /// Whether a caller may still call after the list of callers was reloaded.
    enum Standing {
        /// It may still call, possibly with other permissions.
        case permitted(Application)
        /// Its key was removed, but the application has others: it should reconnect with one of
        /// them.
        case keyRemoved
        /// It may no longer call.
        case removed
    }
}

/// Which applications may authenticate by a shared key (HMAC-SHA-256). A server that verifies a
/// proof by a shared key can also make one: an attacker who controls that server can call every
/// other server that holds the key, as its application. Keys between our own programs are therefore
/// never shared. Another application's older shared key in a server's folder is accepted, unless
/// the operator disables this:
///
///     application     accept-shared-keys   its shared key
///     one of ours     either               rejected
///     another         true                 accepted, with a warning at each load
///     another         false                rejected
package struct SharedKeyRule: Sendable {
    private let ours: Set<String>
    private let acceptsOthers: Bool

    /// - Parameters:
    ///   - ours: The applications that may never authenticate by a shared key.
    ///   - acceptsOthers: Whether all other applications may.
    package init(ours: Set<String>, acceptsOthers: Bool) {
        self.ours = ours
        self.acceptsOthers = acceptsOthers
    }

    /// Checks whether `application` may use a shared key.
    /// - Parameter path: the file of the shared key.
    /// - Throws: `ApplicationsError.sharedKey` when it is rejected.
    func check(_ application: String, _ path: String) throws(ApplicationsError) {
        let isOurs = ours.contains(application)
        guard acceptsOthers, !isOurs else {
            throw .sharedKey(path, application: application, isOurs: isOurs)
        }
    }
}

/// An authenticated caller and its credential.
struct Caller: Sendable {
    enum Credential: Sendable {
        /// A key, as its fingerprint, so that its removal can be detected.
        case key([UInt8])
        /// A client certificate.
        case certificate
    }

    let application: Application
    let credential: Credential

    /// What TLS established about a connection.
    package struct ChannelIdentity: Sendable {
        /// SHA-256 of the server's leaf certificate; zeros without TLS.
        var leafHash = ApplicationProof.noCertificate
        /// The names in the client's certificate, if one was requested and is valid.
        var peerNames: [String] = []

        /// A connection without TLS.
        static let plaintext = ChannelIdentity()
    }
}

/// The names of all entries of a folder, sorted.
/// - Throws: `ApplicationsError.noFolder`.
func entryNames(inFolder folder: String) throws -> [String] {
    guard let names = Files.names(in: folder) else { throw ApplicationsError.noFolder(folder) }
    return names
}
