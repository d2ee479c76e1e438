import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Mails another verification link to a signed-in user (G-12); the former link becomes void.
    /// The gateway enforces the rate limit.
    /// - Throws: `rpc/invalid-argument`, `rpc/not-found`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`, `auth/too-many-requests` as `Transaction.requireMail`.
    func resendVerification(
        _ request: IdentityV1.ResendVerificationRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationResponse {
        let account = try AccountID.required(request.accountId)
        let call = try RepeatableCall(
            "ResendVerification", [Array(account.text.utf8)], context, hash: keys.calls)
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let token = LinkToken.drawn(from: randomness)
        let isSent = try await store.write(about: [.account(account)]) { transaction in
            if let first = try transaction.storedResponse(of: call) { return first.done }
            let isSent = try send(token, to: account, origin, transaction)
            try transaction.remember(
                call, .init(account: account.key, done: isSent))
            return isSent
        }
        return IdentityV1.ResendVerificationResponse(sent: isSent)
    }

    /// - Returns: false if there is nothing to verify.
    /// - Throws: `rpc/not-found`, `auth/user-disabled`, `auth/too-many-requests`.
    private func send(
        _ token: LinkToken, to account: AccountID, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> Bool {
        guard let row = try transaction.account(account) else {
            throw ServiceError(.notFound, fields: ["account_id"])
        }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        if let claim = try transaction.claim(of: account, at: transaction.at) {
            try transaction.requireMail(to: claim.addressKey)
            try resend(token, of: claim, origin, transaction)
            return true
        }
        guard let address = row.address, address.provedAt == nil,
            let mail = try LinkMail(
                .verifyEmail, token, to: row, settings, outbox,
                at: transaction.at)
        else { return false }
        try transaction.requireMail(to: address.lookUpKey)
        try transaction.send(mail)
        try transaction.audit(.verificationResent, account, from: origin)
        return true
    }

    /// For a claim, the response and the steps are the same whether it is superseded or not;
    /// see `ClaimMail`.
    private func resend(
        _ token: LinkToken, of claim: Claim, _ origin: CallOrigin, _ transaction: Transaction
    ) throws {
        let expiresAt = transaction.at + settings.verificationLife
        try transaction.relink(
            claim, tokenHash: token.hash(.verifyEmail, keys.links), expiresAt: expiresAt)
        guard let claim = try transaction.claim(of: claim.account, at: transaction.at) else {
            throw ServiceError(.internalError, detail: "a claim is missing")
        }
        try ClaimMail(settings: settings, outbox: outbox, transaction: transaction)
            .write(claim, token: token)
        try transaction.audit(.verificationResent, claim.account, from: origin)
    }
}
