import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// The validated request data of a change to an account's sign-in methods.
struct MethodCall: Sendable {
    /// The session that made the call. It is kept when the account's other sessions end.
    let owner: SessionOwner
    let origin: CallOrigin
    let device: DeviceShown
    /// For idempotent retries; nil when the call carries no key.
    let call: RepeatableCall?

    /// - Parameters:
    ///   - method: The rpc.
    ///   - subject: The object of the change: an identity's look-up key, or the name of a method.
    /// - Throws: `rpc/invalid-argument` for an invalid idempotency key.
    init(
        _ method: StaticString, of owner: SessionOwner, _ subject: [UInt8],
        from origin: IdentityV1.Origin?, _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        self.owner = owner
        self.origin = CallOrigin(origin, hash: keys.audit)
        device = DeviceShown(origin)
        call = try RepeatableCall(
            method, [Array(owner.account.text.utf8), subject], context, hash: keys.calls)
    }
}

extension SessionOwners {
    /// The account and session of a call that changes sign-in methods. A recent proof is required.
    ///
    /// A guest is rejected: it signs up or in with its token, which ends its session and opens
    /// another one (G-07). Attack: somebody who copied the guest's tokens, or planted them on a
    /// borrowed phone, would keep a session of the full account.
    /// - Throws: `auth/operation-not-allowed` for a guest; otherwise as `owner` and `require`.
    func ownerOfMethods(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner {
        let owner = try await owner(of: accessToken, context)
        let row = try await store.account(owner.account)
        guard !row.isGuest else { throw ServiceError(.operationNotAllowed) }
        return try await require(.standard, of: accessToken, context)
    }
}

extension SQLSession {
    /// The row of the account that a call changes.
    /// - Throws: `auth/invalid-access-token` when it no longer exists, `auth/user-disabled`.
    func callersRow(_ account: AccountID) throws -> AccountRow {
        guard let row = try self.account(account) else { throw ServiceError(.invalidAccessToken) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return row
    }
}
