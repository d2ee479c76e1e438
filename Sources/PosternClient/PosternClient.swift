import Contracts
import Cryptography
@_exported public import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// Calls Postern's public API, for backends in Swift.
///
///     let postern = try PosternClient(keyFile: ".postern/keys/applications/app.k1.key")
///     let answer = try await postern.guests.signInAsGuest(.init())
///
/// It connects at the first call, reconnects after a loss, and repeats calls where that is safe. A
/// call that fails throws a `PosternError`. One client serves a whole program.
public final class PosternClient: Sendable {
    let caller: Caller

    /// A client of the gateway.
    /// - Parameters:
    ///   - addresses: where gateways listen, `host:port`; calls are distributed over them.
    ///   - keyFile: the application's private key, `<application>.<key id>.key`, mode 600.
    ///   - roots: a PEM file with the certificate authorities of the gateway's certificate. Without
    ///     it the connections are not encrypted.
    ///   - plaintext: where connections without `roots` may go. As the setting `plaintext` of the
    ///     gateway itself.
    /// - Throws: `InvalidSettings`, for example for an address beyond loopback without `roots`.
    public init(
        addresses: [String] = ["127.0.0.1:7400"], keyFile: String, roots: String? = nil,
        plaintext: Plaintext = .loopback
    ) throws(InvalidSettings) {
        do {
            let targets = try addresses.map { text in
                guard let address = ServiceAddress(text) else {
                    throw InvalidSettings(description: "\(text) is not host:port")
                }
                // Without TLS beyond loopback, anyone on the network path could read passwords and
                // tokens, and answer in the gateway's place.
                guard address.isLoopback || roots != nil || plaintext == .trustedNetwork else {
                    throw InvalidSettings(
                        description: "refusing to connect to \(text) without TLS: give roots, or "
                            + "set plaintext to .trustedNetwork if nobody else is on that network")
                }
                return address
            }
            var settings = try Self.settings(targets, keyFile)
            settings.security.tls = try roots.map {
                Reloadable(
                    try ClientTLS(
                        ClientTLSFiles(certificate: nil, roots: $0), now: SystemTime().now()))
            }
            caller = Caller(
                client: RPCClient(
                    settings, group: .singleton, time: SystemTime(),
                    randomness: SecureRandomness()))
        } catch let error as InvalidSettings {
            throw error
        } catch {
            throw InvalidSettings(description: "\(error)")
        }
    }

    private static func settings(
        _ addresses: [ServiceAddress], _ keyFile: String
    ) throws -> ClientSettings {
        let key = try ApplicationKey(file: keyFile)
        guard !addresses.isEmpty else { throw InvalidSettings(description: "no address is given") }
        return ClientSettings(
            service: "postern.gateway", addresses: addresses, application: key.application,
            keyID: key.keyID, secret: key.key)
    }

    /// Closes the connections. Calls that are running fail.
    public func close() { caller.client.close() }

    /// Verifies access tokens in this program, without a call for each.
    /// - Parameter settings: the claims that tokens must have.
    public func sessionVerifier(_ settings: VerifierSettings = VerifierSettings())
        -> SessionVerifier
    {
        SessionVerifier(
            VerificationClient(caller.client), settings, time: SystemTime(),
            randomness: SecureRandomness())
    }
}

extension PosternClient {
    /// Where a client may connect without TLS.
    public enum Plaintext: Sendable {
        /// Only on loopback.
        case loopback
        /// Anywhere: the network has no other users.
        case trustedNetwork
    }
}

/// The settings of a client are invalid. The description names the setting and a valid value.
public struct InvalidSettings: Error, CustomStringConvertible {
    /// The error message, in English.
    public let description: String
}

/// The metadata and the timeout of a call.
public struct CallOptions: Hashable, Sendable {
    /// The access token of the user in whose name the call is made; nil for a call outside any
    /// session. The gateway refuses an empty one. Descriptions of the options do not show it.
    public var accessToken: String?
    /// Makes a repeated call safe: for 24 hours the same key gets the first response. 1 to 255
    /// bytes. Without one each call gets a random key, so that the client can repeat it itself.
    public var idempotencyKey: String?
    /// The user's IP address, for limits, from an application that may assert it.
    public var clientAddress: String?
    /// The user's user agent, as HTTP has it, from an application that may assert the address. In
    /// the list of sessions it becomes a browser and a system.
    public var clientAgent: String?
    /// The user's languages, as in HTTP: `de-CH,de;q=0.9,en;q=0.8`.
    public var acceptLanguage: String?
    /// The timeout; without one, that of the method, mostly 10 s.
    public var timeout: Duration?

    /// Options; all may be absent.
    public init(
        accessToken: String? = nil, idempotencyKey: String? = nil, clientAddress: String? = nil,
        clientAgent: String? = nil, acceptLanguage: String? = nil, timeout: Duration? = nil
    ) {
        self.accessToken = accessToken
        self.idempotencyKey = idempotencyKey
        self.clientAddress = clientAddress
        self.clientAgent = clientAgent
        self.acceptLanguage = acceptLanguage
        self.timeout = timeout
    }
}

// A log line with the options must not contain a credential.
extension CallOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The options except the access token.
    public var description: String {
        let options = customMirror.children.map { "\($0.label ?? ""): \($0.value)" }
        return "CallOptions(\(options.joined(separator: ", ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// The options except the access token.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "idempotencyKey": idempotencyKey as Any, "clientAddress": clientAddress as Any,
                "clientAgent": clientAgent as Any,
                "acceptLanguage": acceptLanguage as Any, "timeout": timeout as Any,
            ], displayStyle: .struct)
    }
}

/// A failed call.
public struct PosternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A stable code, for example `auth/invalid-credential`. Decide by it.
    public let code: String
    /// The code of gRPC, for example 16 for UNAUTHENTICATED.
    public let status: Int
    /// A sentence for the user, in a language of `acceptLanguage`.
    public let userMessage: String
    /// Whether the same call may succeed later.
    public let isRetryable: Bool
    /// How long to wait before that; nil if it is not known.
    public let retryAfter: Duration?
    /// What to offer the user, for example `sign-in`.
    public let action: String
    /// The fields of the request that are at fault.
    public let violations: [Violation]
    /// With `auth/requires-recent-login`: the fields of `ReauthenticateRequest` any of which would
    /// be accepted, for example `password`. If there is none, only a new sign-in would be.
    public let acceptableProofs: [String]
    /// What else would do, in the order to offer it: `password`, `reset-password`, `sign-up`,
    /// `phone`, or a provider's name, for example `google`. In the errors of a sign-in it is what
    /// the operator has switched on; with `auth/second-proof-required` those of the account's
    /// sign-in methods that would do.
    public let alternatives: [String]
    /// With `auth/second-proof-required`: what a second proof is to answer, by
    /// `SignInChallenges/CompleteSignIn`.
    public let secondProof: SecondProof?
    /// With `auth/document-conflict`: the document's version, on which to write; 0 if there is no
    /// such document.
    public let currentVersion: Int64
    /// With `auth/document-quota`: what the account has, and may have at most.
    public let documentQuota: DocumentQuota?
    /// With `rpc/unavailable` the part of Postern that fails, with `rpc/deadline-exceeded` the part
    /// that did not answer in time, for example `session.store`; nil if it is not known.
    public let unavailablePart: String?

    init(_ error: any Error) {
        let error =
            error as? ServiceError
            ?? ServiceError(error is CancellationError ? .cancelled : .internalError)
        let entry = error.code.entry
        code = error.code.rawValue
        status = Int(entry.status.rawValue)
        userMessage = error.userMessage
        isRetryable = entry.isRetryable
        retryAfter = error.retryAfter
        action = entry.next.rawValue
        violations = error.violations.map {
            Violation(field: $0.field, rule: $0.rule, userMessage: $0.userMessage)
        }
        acceptableProofs = error.acceptableProofs
        alternatives = error.alternatives
        secondProof = error.secondProof.map {
            SecondProof(
                challenge: $0.challenge, kinds: $0.kinds, expiresAtMs: $0.expiresAtMs,
                hints: $0.hints)
        }
        currentVersion = error.currentVersion
        documentQuota = error.documentQuota.map {
            DocumentQuota(
                documents: Int($0.documents), documentsMax: Int($0.documentsMax),
                bytes: Int($0.bytes), bytesMax: Int($0.bytesMax))
        }
        unavailablePart = error.unavailablePart.isEmpty ? nil : error.unavailablePart
    }

    /// The code and its details.
    public var description: String {
        let faults = violations.map { $0.rule.isEmpty ? $0.field : "\($0.field): \($0.rule)" }
        let part = unavailablePart.map { [$0] } ?? []
        let details = faults + acceptableProofs + alternatives + (secondProof?.kinds ?? []) + part
        return details.isEmpty ? code : "\(code) (\(details.joined(separator: ", ")))"
    }

    /// An invalid field of the request, and the rule that its value breaks.
    public struct Violation: Hashable, Sendable {
        /// The field, as the `.proto` names it, for example `email`.
        public let field: String
        /// The rule that the value breaks, where the field has several: for a new password
        /// `length`, `upper-case`, `lower-case`, `letter`, `digit`, `common` or `context`; for a
        /// phone number `trunk-prefix`, `digit-count` or `number-kind`; for a document or a photo,
        /// and for the reason of `auth/session-ended`, as `Violation` in `wire.proto` lists them.
        /// Otherwise empty.
        public let rule: String
        /// A sentence for the user about the rule, in the language of the error's own; empty
        /// without a rule.
        public let userMessage: String
    }

    /// An account's documents, and how many it may have.
    public struct DocumentQuota: Hashable, Sendable {
        /// Number of documents.
        public let documents: Int
        /// How many it may have.
        public let documentsMax: Int
        /// Their JSON in bytes.
        public let bytes: Int
        /// How many bytes it may have.
        public let bytesMax: Int
    }

    /// The second proof that a sign-in needs.
    public struct SecondProof: Hashable, Sendable {
        /// Opaque; returned with the proof.
        public let challenge: String
        /// The kinds of proof that would be accepted, the one to offer first at the beginning: the
        /// fields of `CompleteSignInRequest` that carry them.
        public let kinds: [String]
        /// When the challenge expires, in milliseconds since 1970.
        public let expiresAtMs: Int64
        /// One for each of `kinds`: what the owner recognises it by, for example the end of the
        /// phone number; may be empty.
        public let hints: [String]
    }
}

/// The items of a response that is a stream, in order. The sequence throws a `PosternError` if the
/// call fails. Releasing it cancels the call.
public struct ResponseItems<Element: Sendable>: AsyncSequence, Sendable {
    let items: IncomingItems<Element>

    /// Iterates over the items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let items: IncomingItems<Element>.AsyncIterator

        /// The next item; nil after the last.
        /// - Throws: `PosternError`.
        public mutating func next() async throws(PosternError) -> Element? {
            do { return try await items.next() } catch { throw PosternError(error) }
        }
    }

    /// Starts the iteration. There may be one at a time.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(items: items.makeAsyncIterator())
    }
}

/// Makes the calls of all services.
struct Caller: Sendable {
    /// The bytes of a random idempotency key.
    private static let keyBytes = 16

    let client: RPCClient

    /// Makes a unary call.
    /// - Throws: `PosternError`.
    func call<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ options: CallOptions
    ) async throws(PosternError) -> Response {
        do {
            return try await client.call(method, request, context(method, options))
        } catch {
            throw PosternError(error)
        }
    }

    /// Makes a call whose response is a stream.
    func items<Request: ProtobufMessage, Response: ProtobufMessage>(
        _ method: MethodDescription, _ request: Request, _ options: CallOptions
    ) -> ResponseItems<Response> {
        ResponseItems(items: client.serverStream(method, request, context(method, options)))
    }

    /// The context of a call with these options.
    func context(_ method: MethodDescription, _ options: CallOptions) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = options.idempotencyKey ?? ownKey(method)
        metadata[Metadata.Key.clientAddress] = options.clientAddress
        metadata[Metadata.Key.clientAgent] = options.clientAgent
        metadata[Metadata.Key.acceptLanguage] = options.acceptLanguage
        return client.context(timeout: options.timeout ?? method.timeout, metadata: metadata)
            .bearing(options.accessToken)
    }

    private func ownKey(_ method: MethodDescription) -> String? {
        guard !method.isIdempotent else { return nil }
        return Base64URL.encode(SecureRandomness().bytes(Self.keyBytes))
    }
}
