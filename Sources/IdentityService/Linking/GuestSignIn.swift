import CallRecords
import Messages
import RPC
import ServiceRuntime
import Storage

/// Signs in with nothing (G-07): a new account with its profile and key, and no way to be signed in
/// to. It lives in its session, until it is upgraded or its session is lost.
struct GuestSignIn: Sendable {
    /// Not of RFC 8176, which has no name for "nothing was proved".
    static let methods = ["anon"]

    let parts: IdentityParts

    /// - Throws: `rpc/invalid-argument`, `auth/idempotency-key-reused`.
    func run(
        _ request: IdentityV1.SignInAnonymouslyRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        // Nothing proves a guest but its session, so a repeat must at least come from its device.
        let call = try RepeatableCall(
            "SignInAnonymously",
            [Array(request.language.utf8), Array((request.origin?.deviceId ?? "").utf8)], context,
            hash: parts.keys.calls)
        let asked = try FederatedSignInCall(
            from: request.origin, language: request.language, call: call, parts)
        let account = AccountID.drawn(from: parts.randomness)
        let vault = try AccountVault(
            new: account, under: parts.keys.accounts, randomness: parts.randomness)
        let new = NewAccount(
            account: account, sealedKey: vault.sealedKey,
            sealedDisplayName: try vault.seal("", .displayName), language: asked.language,
            isGuest: true)
        let (row, moment) = try await parts.store.write { transaction in
            (try write(new, asked, transaction), transaction.at)
        }
        return IdentityV1.AdmissionResponse(
            account: try AccountReader(parts: parts).message(row, lastSignInAt: nil),
            proof: ProofIssuer(parts: parts).proof(
                row.account, by: Self.methods, provedAt: moment),
            isNewUser: true)
    }

    private func write(
        _ new: NewAccount, _ call: FederatedSignInCall, _ transaction: Transaction
    ) throws -> AccountRow {
        if let first = try transaction.storedResponse(of: call.call) {
            // What has become a full account since is opened by its owner's proof alone.
            guard let row = try transaction.account(AccountID(stored: first.account)), row.isGuest
            else { throw ServiceError(.idempotencyKeyReused) }
            guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
            // What waits for its address is about to be opened by a password.
            guard try transaction.claim(of: row.account, at: transaction.at) == nil else {
                throw ServiceError(.idempotencyKeyReused)
            }
            return row
        }
        try transaction.insert(new)
        try transaction.audit(
            AuditEvent(.guestRegistered, account: new.account.key).from(call.origin))
        try transaction.remember(call.call, StoredResponse(account: new.account.key))
        guard let row = try transaction.account(new.account), row.isGuest else {
            throw ServiceError(.internalError, detail: "a new guest is not whole")
        }
        return row
    }
}
