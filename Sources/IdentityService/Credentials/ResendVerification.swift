import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension CredentialsHandler {
    /// Mails another verification link to a signed-in user (G-12); the former link becomes void.
    /// The gateway enforces the rate limit of the account; that of the address is
    /// `UnrequestedMailRule`.
    func resendVerification(
        _ request: GatewayV1.ResendVerificationEmailRequest, _ context: CallContext
    ) async throws -> IdentityV1.ResendVerificationResponse {
        let account = try await owners.owner(in: context).account
        let call = try RepeatableCall(
            CredentialsDescription.resendVerification, request, by: account.text, context, keys)
        let origin = CallOrigin(context, on: request.device, keys)
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
    /// - Throws: as `SQLSession.callersRow`; `auth/too-many-requests`.
    private func send(
        _ token: LinkToken, to account: AccountID, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> Bool {
        let row = try transaction.callersRow(account)
        if let claim = try transaction.claim(of: account, at: transaction.at) {
            try transaction.requireMail(to: claim.addressKey)
            try resend(token, of: claim, origin, transaction)
            return true
        }
        guard let address = row.address, address.provedAt == nil,
            let mail = try LinkMail(
                .verifyEmail, token, to: row, settings, writer, at: transaction.at,
                until: transaction.at + settings.verificationLife)
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
        try ClaimMail(settings: settings, writer: writer, transaction: transaction)
            .write(claim, token: token)
        try transaction.setVerificationSent(of: claim.account)
        try transaction.audit(.verificationResent, claim.account, from: origin)
    }
}
