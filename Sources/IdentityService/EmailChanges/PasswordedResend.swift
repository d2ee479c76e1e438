import Messages
import RPC
import ServiceRuntime
import Storage

/// Mails another verification link to a caller who has the password but no session, because the
/// address must be verified first (G-02). An unknown address and a wrong password take the same
/// steps, as in `PasswordSignIn`.
///
/// If the address is verified already, `sent` is false. A claim fails like an unknown address:
/// under `enumeration: strict`, a user who waits for a link signs up again.
struct PasswordedResend: Sendable {
    let parts: IdentityParts

    /// - Throws: `auth/invalid-credential`, `auth/user-disabled`, `auth/invalid-email`,
    ///   `auth/idempotency-key-reused`; `rpc/deadline-exceeded`, not processed, as
    ///   `ResponseTimeFloor.requireTime`.
    func run(
        _ request: IdentityV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationByPasswordResponse {
        let attempt = try SignInAttempt(
            .init(email: request.email, password: request.password, origin: request.origin),
            context, parts.keys)
        let call = try RepeatableCall(
            "ResendVerificationByPassword", [attempt.lookUpKey], context, hash: parts.keys.calls)
        try await parts.slots.requireTime(until: context.deadline)
        let holder = try await parts.store.read {
            try $0.passwordHolder(ofAddress: attempt.lookUpKey)
        }
        let isRight = try await PasswordCheck(parts: parts).isRight(attempt.password, of: holder)
        guard let holder, isRight else {
            throw try await attempt.refused(.invalidCredential, holder, parts)
        }
        guard holder.row.status.mayVerify else { throw ServiceError(.accountDisabled) }
        return .init(sent: try await send(to: holder, attempt, call))
    }

    /// - Returns: false if the address is verified already.
    private func send(
        to checked: PasswordHolder, _ attempt: SignInAttempt, _ call: RepeatableCall?
    ) async throws -> Bool {
        let token = LinkToken.drawn(from: parts.randomness)
        return try await parts.store.write { transaction in
            if let first = try transaction.storedResponse(of: call) { return first.figure == 1 }
            guard let row = try transaction.account(checked.row.account),
                row.status.mayVerify, row.address?.provedAt == nil,
                let mail = try LinkMail(.verifyEmail, token, to: row, parts, at: transaction.at)
            else { return false }
            try transaction.send(mail)
            try transaction.audit(
                AuditEvent(.verificationResent, account: row.account.key).from(attempt.origin))
            try transaction.remember(call, StoredResponse(account: row.account.key, figure: 1))
            return true
        }
    }
}
