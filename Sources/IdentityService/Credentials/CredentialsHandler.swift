import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
struct CredentialsHandler: CredentialsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners

    var settings: IdentitySettings { answers.settings }
}

extension CredentialsHandler {
    /// Accepts a request for a reset link (G-11). It does not look up whether the address has an
    /// account: the request is stored and answered, and `RequestedLinkMailing` does the lookup
    /// later.
    ///
    /// Attack: an attacker tries a list of addresses and compares sizes and times of the responses
    /// to learn which have accounts. A response that precedes the lookup discloses nothing.
    /// The delay before the lookup is random, so that the work for an existing account does not
    /// slow down the next response either.
    func requestPasswordReset(
        _ request: GatewayV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestPasswordResetResponse {
        try passwords.requireOn(field: "email")
        let address = try EmailAddress.required(request.email)
        let call = try RepeatableCall(
            CredentialsDescription.requestPasswordReset, request, context, keys)
        try await RequestedLinkMailing.Request(
            address, keys, origin: CallOrigin(context, on: request.device, keys)
        ).write(.passwordReset, call, in: store, writer, now: time.now())
        return IdentityV1.RequestPasswordResetResponse()
    }
}
