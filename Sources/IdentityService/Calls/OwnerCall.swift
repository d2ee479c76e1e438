import Messages
import RPC

/// A call in a session of the account's owner, for rpcs that change who may sign in or are
/// sensitive. `SessionOwners` has judged it: session knows it as live, and the account may be used.
/// What the rpc has to check itself is the table of `ValidAccessToken`.
struct OwnerCall: Sendable {
    let known: KnownOwner
    let frame: AccountCall

    /// For `requireLive` in the transaction.
    var owner: SessionOwner { known.owner }
}

/// A handler of services whose rpcs need a session of the account's owner.
protocol OwnerCallsHandler {
    var calls: AccountCalls { get }
    var owners: SessionOwners { get }
}

extension OwnerCallsHandler {
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> OwnerCall {
        try await calls.call(method, request, context, by: owners)
    }
}

extension AccountCalls {
    /// As `call`, with the session of the access token. It is judged once, by `owners`.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as
    ///   `SessionOwners.owner` and `framed`.
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext,
        by owners: SessionOwners
    ) async throws -> OwnerCall {
        try context.requireGateway()
        let known = try await owners.known(in: context)
        let call = AccountCall(account: known.owner.account, context: context)
        return OwnerCall(known: known, frame: try framed(call, method, request, by: context))
    }
}
