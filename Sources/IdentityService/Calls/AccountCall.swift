import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// A call about an account: who makes it and from where, as judged before its rpc runs
/// (`AccountCalls`).
struct AccountCall: Sendable {
    let account: AccountID
    /// What the calls to other services are made with.
    let context: CallContext
    /// Nil for the account's owner.
    var backend: Backend?
    /// Where it comes from.
    var origin = CallOrigin.unknown
    /// The language of sentences for the caller.
    var voice = Voice.english
    /// For the store's memory of repeats; nil without an idempotency key.
    var repeatable: RepeatableCall?
    /// The units of `document-work-by-account` that were charged for it; 0 if it is not charged.
    var paidUnits = 0
}

/// A request of a backend, which names the account itself and proves that it makes this request.
protocol BackendRequest: ProtobufMessage {
    /// The account and the proof.
    var call: GatewayV1.BackendCall? { get set }
    /// The request after the actor, as the proof covers it (`bh`).
    var signedParts: [[UInt8]] { get }
}

/// Makes the frame of each call that the gateway passes on.
///
///     who asserts it                      what
///     the person, by the access token     the account; session judges the token
///     the backend, by its own signature   the account, the actor, the idempotency key
///     the gateway, by the metadata        client address, app, language, idempotency key, charge
///
/// Attack: somebody has taken the gateway over. It names any address, app or language, as it could
/// before, and acts for nobody but who calls through it.
struct AccountCalls: Sendable {
    let keys: IdentityKeys
    /// The session service, which knows the accounts of access tokens.
    let sessions: any SessionsAPI
    let backends: BackendCalls

    /// The longest name that an app can have in the operator's apps file.
    private static let appBytesMax = 32

    /// The methods whose repeats are stored under another name than their own: it is part of stored
    /// keys.
    private static let storedNames = [
        "WriteDocument": "WriteDocuments", "WriteAccountDocuments": "WriteDocuments",
        "RemoveAccountDocument": "RemoveDocument",
    ]

    /// Judges who makes a call.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as
    ///   `SessionsAPI.validated` and `BackendCalls.verified`; `rpc/invalid-argument` with the field.
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> AccountCall {
        try context.requireGateway()
        var call: AccountCall
        var caller: any IdempotentCall = context
        var repeated = request
        if var backed = request as? any BackendRequest {
            let backend = try backends.verified(backed, method)
            call = AccountCall(account: backend.account, context: context, backend: backend)
            caller = backend
            // A retry has a proof of its own, and may have another actor.
            backed.call = nil
            repeated = backed
        } else {
            let owner = try await owner(in: context)
            call = AccountCall(account: owner.account, context: context)
        }
        call.origin = CallOrigin(RelayedOrigin(context), hash: keys.audit)
        call.voice = context.metadata.voice
        call.paidUnits = context.metadata[Metadata.Key.paidUnits].flatMap { Int($0) } ?? 0
        if caller.idempotencyKey != nil, !method.isIdempotent {
            call.repeatable = try RepeatableCall(
                Self.storedName(of: method),
                [
                    Array(method.name.utf8), Array(call.account.text.utf8),
                    repeated?.encoded() ?? [],
                ], caller, hash: keys.calls)
        }
        return call
    }

    /// The owner of a call's access token, now. Streams ask again and again.
    /// - Throws: as `SessionsAPI.validated`.
    func owner(in context: CallContext) async throws -> ValidAccessToken {
        try await sessions.validated(accessToken: context.requiredAccessToken(), context)
    }

    private static func storedName(of method: MethodDescription) -> String {
        let name = method.name.split(separator: "/").last.map(String.init) ?? method.name
        return storedNames[name] ?? name
    }

    /// Where a call comes from, as the gateway says.
    private struct RelayedOrigin: ClientOrigin {
        let clientAddress: String
        let deviceId = ""
        let app: String

        init(_ context: CallContext) {
            clientAddress = context.clientAddress ?? ""
            let name = context.metadata[Metadata.Key.app] ?? ""
            let isName = name.isName(
                1...AccountCalls.appBytesMax, [.lower, .digit], marks: "-")
            app = isName ? name : ""
        }
    }
}
