import CallRecords
import Contracts
import Messages
import RPC
import ServiceRuntime

/// How a change of an account's ways of signing in was asked for.
struct MethodCall: Sendable {
    /// Whose session asks: it stays where others end.
    let owner: SessionOwner
    let origin: CallOrigin
    let device: DeviceShown
    /// For a repeat; nil where the call carries no key.
    let call: RepeatableCall?

    /// - Parameters:
    ///   - method: The rpc.
    ///   - subject: What it is about: an identity's look-up key, or a method's name.
    /// - Throws: `rpc/invalid-argument` for an idempotency key that is none.
    init(
        _ method: StaticString, of owner: SessionOwner, _ subject: [UInt8],
        from origin: IdentityV1.Origin?, _ context: CallContext, _ parts: IdentityParts
    ) throws(ServiceError) {
        self.owner = owner
        self.origin = CallOrigin(origin, hash: parts.keys.audit)
        device = DeviceShown(origin)
        call = try RepeatableCall(
            method, [Array(owner.account.text.utf8), subject], context, hash: parts.keys.calls)
    }
}

extension SessionOwners {
    /// Whose account it is that is to have another way of signing in: proved lately.
    ///
    /// A guest is refused: it signs up or in with its token, which ends its session and opens another
    /// (G-07). Attack: who copied the guest's tokens, or planted them on a borrowed phone, would keep
    /// a session of the account that is made of it.
    /// - Throws: `auth/operation-not-allowed` for a guest; as `require`.
    func ownerOfMethods(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner {
        let owner = try await owner(of: accessToken, context)
        let row = try await AccountReader(parts: parts).account(owner.account)
        guard !row.isGuest else { throw ServiceError(.operationNotAllowed) }
        return try await require(.standard, of: accessToken, context)
    }
}
