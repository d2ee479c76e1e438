import Addresses
import Contracts
import Cryptography
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// A call about an account: who makes it and from where, as judged before its rpc runs
/// (`AccountCalls`). What the rpc has to check itself is the table of `ValidAccessToken`.
package struct AccountCall: Sendable {
    /// The account that the call is about.
    package let account: AccountID
    /// What the calls to other services are made with.
    package let context: CallContext
    /// Nil for the account's owner.
    package var backend: Backend?
    /// Where it comes from.
    package var origin = CallOrigin.unknown
    /// The language of sentences for the caller.
    package var voice = Voice.english
    /// For the store's memory of repeats; nil without an idempotency key, and where the request is
    /// items, which the method reads and hashes itself.
    package var repeatable: RepeatableCall?
    /// The units of `document-work-by-account` that were charged for it; 0 if it is not charged.
    package var paidUnits = 0
}

/// A request of a backend, which names the account itself and proves that it makes this request.
package protocol BackendRequest: ProtobufMessage {
    /// The account and the proof.
    var call: GatewayV1.BackendCall? { get }
}

/// A request of a backend that lists by itself what the proof covers. Of others it covers all, by
/// their descriptors (`BackendRule`).
package protocol ListedPartsRequest: BackendRequest {
    /// The request after the actor, as the proof covers it (`bh`).
    var signedParts: [[UInt8]] { get }
}

/// A request that names the caller's device.
protocol DeviceRequest: ProtobufMessage {
    var device: GatewayV1.Device? { get }
}

/// Makes the frame of each call that the gateway passes on.
///
///     who asserts it                      what
///     the person, by the access token     the account; session judges the token
///     the backend, by its own signature   the account, the actor, the idempotency key
///     the gateway, by the metadata        client address, app, language, idempotency key, charge
///
/// Attack: the gateway is compromised. It can send any address, app or language, and can act only
/// for people whose calls pass through it.
package struct AccountCalls: Sendable {
    let keys: IdentityKeys
    /// The session service, which knows the accounts of access tokens.
    let sessions: any SessionsAPI
    let backends: BackendCalls
    let time: any Time

    /// Judges who makes a call.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as
    ///   `SessionsAPI.validated`, `BackendCalls.caller` and `framed`.
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> AccountCall {
        guard let backed = request as? any BackendRequest else {
            try context.requireGateway()
            let owner = try await owner(in: context)
            let call = AccountCall(account: owner.account, context: context)
            return try framed(call, method, request, by: context)
        }
        let backend = try backends.caller(of: backed, method, context)
        guard let account = backend.account else {
            throw ServiceError(.invalidArgument, fields: ["call.account_id"])
        }
        let call = AccountCall(account: account, context: context, backend: backend)
        return try framed(call, method, backed, by: backend)
    }

    /// The frame of a call about an account that something else than a session has shown.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as `framed`.
    package func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext,
        about account: AccountID
    ) throws -> AccountCall {
        try context.requireGateway()
        return try framed(
            AccountCall(account: account, context: context), method, request, by: context)
    }

    /// Adds to a call that has been judged what its metadata and its request say of it.
    /// - Parameter request: nil for items.
    /// - Throws: `rpc/invalid-argument` with the field.
    func framed(
        _ judged: AccountCall, _ method: MethodDescription, _ request: (any ProtobufMessage)?,
        by caller: any IdempotentCall
    ) throws -> AccountCall {
        let context = judged.context
        var call = judged
        let device = (request as? any DeviceRequest)?.device
        try device?.requireBounds()
        call.origin = CallOrigin(context, on: device, keys)
        call.voice = context.metadata.voice
        call.paidUnits = context.metadata[Metadata.Key.paidUnits].flatMap { Int($0) } ?? 0
        if let request, caller.idempotencyKey != nil, method.remembersRepeats {
            call.repeatable = try RepeatableCall(
                method, request, by: call.account.text, caller, keys)
        }
        return call
    }

    /// The owner of a call's access token, now. Streams ask again and again.
    /// - Throws: as `SessionsAPI.validated`.
    package func owner(in context: CallContext) async throws -> ValidAccessToken {
        try await sessions.validated(
            accessToken: context.requiredAccessToken(), context.ofCheck(time))
    }

    /// The owner of the access token of a call that may be made in a session (`SESSION_OPTIONAL`);
    /// nil without a token.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as
    ///   `SessionsAPI.validated`, where the session is optional.
    package func optionalOwner(in context: CallContext) async throws -> ValidAccessToken? {
        try context.requireGateway()
        guard let token = try context.accessToken() else { return nil }
        return try await sessions.validated(
            accessToken: token, unknown: .sessionEnded, context.ofCheck(time))
    }
}

/// A handler of services whose rpcs are about the account that calls, or that a backend names.
package protocol AccountCallsHandler {
    var calls: AccountCalls { get }
}

extension AccountCallsHandler {
    /// The frame of a call, as the services' protocols ask for it.
    /// - Throws: as `AccountCalls.call`.
    package func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> AccountCall {
        try await calls.call(method, request, context)
    }
}
