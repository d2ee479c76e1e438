import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Mails another verification link to a caller who has the password but no session, because the
    /// address must be verified first (G-02). An unknown address and a wrong password take the same
    /// steps, as in `verifyPassword`.
    ///
    /// Above the limit of the address the mail is withheld, and the response is the same
    /// (`UnrequestedMailRule`). If the address is verified already, `sent` is false. A claim fails
    /// like an unknown address: under `enumeration: strict`, a user who waits for a link signs up
    /// again.
    ///
    /// Attack: leaked passwords are tried here instead of at sign-in, to find right ones without a
    /// record or a mail to the owner. So an answer that confirms a password is recorded as a
    /// sign-in's is, with its device, and an idempotency key of another request is refused before
    /// the password is compared.
    func resendVerificationByPassword(
        _ request: GatewayV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationByPasswordResponse {
        try passwords.requireOn()
        let attempt = try SignInAttempt(
            .init(email: request.email, password: request.password, device: request.device),
            RepeatableCall(
                EmailChangesDescription.resendVerificationByPassword, request, context, keys),
            context, keys)
        _ = try await store.storedResponse(of: attempt.repeatable, at: time.now())
        try await passwords.responseTimeFloor.requireTime(until: context.deadline)
        let holder = try await store.read {
            try $0.passwordHolder(ofAddress: attempt.lookUpKey)
        }
        let isRight = try await passwords.isRight(attempt.password, of: holder)
        guard let holder, isRight else {
            throw try await attempt.refused(.invalidCredential, holder, store)
        }
        guard holder.row.status.mayVerify else {
            throw try await attempt.refused(.accountDisabled, holder, store)
        }
        do {
            return .init(sent: try await send(to: holder, attempt))
        } catch let error as ServiceError {
            throw error.afterComparison
        }
    }

    /// - Returns: false if the address is verified already.
    private func send(
        to checked: PasswordHolder, _ attempt: SignInAttempt
    ) async throws -> Bool {
        let token = LinkToken.drawn(from: randomness)
        let account = checked.row.account
        return try await store.write(about: [.account(account)], evenIfCancelled: true) {
            transaction in
            if let first = try transaction.storedResponse(of: attempt.repeatable) {
                return first.done
            }
            guard let row = try transaction.account(checked.row.account),
                row.status.mayVerify, let address = row.address, address.provedAt == nil,
                let mail = try LinkMail(
                    .verifyEmail, token, to: row, settings, writer, at: transaction.at,
                    until: transaction.at + settings.verificationLife)
            else {
                try recordConfirmed(checked.row.account, attempt, transaction)
                return false
            }
            if try transaction.maySend(.account, to: address.lookUpKey) {
                try transaction.send(mail)
            }
            try transaction.audit(.verificationResent, row.account, from: attempt.origin)
            try transaction.remember(
                attempt.repeatable, .init(repeatedByPasswordOf: row, done: true))
            return true
        }
    }

    private func recordConfirmed(
        _ account: AccountID, _ attempt: SignInAttempt, _ transaction: Transaction
    ) throws {
        try transaction.audit(
            .verificationNotNeeded, account, from: attempt.origin, subject: attempt.subject)
        try SignInRecorder(settings: settings, writer: writer)
            .recordDevice(
                attempt.device, by: .password, of: account, from: attempt.origin, transaction)
    }
}
