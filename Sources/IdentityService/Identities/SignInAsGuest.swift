import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Signs in as a guest (G-07): creates an account with a profile and a key, and without a
    /// sign-in method. The account is reachable only through its session, until it is upgraded or
    /// the session is lost. Consent is not required of it before its upgrade (G-23). The operator can
    /// switch guests off (G-36).
    func signInAsGuest(
        _ request: GatewayV1.SignInAsGuestRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        guard settings.guests == .on else { throw ServiceError(.operationNotAllowed) }
        guard try await calls.optionalOwner(in: context) == nil else {
            throw ServiceError(.alreadySignedIn)
        }
        // A guest has no credential besides its session. The fingerprint covers the device id, so
        // that a retry must at least come from the same device.
        let call = try RepeatableCall(
            IdentitiesDescription.signInAsGuest, request,
            proving: Array((request.device?.deviceId ?? "").utf8), context, keys)
        let signIn = FederatedSignInCall(
            from: CallOrigin(context, on: request.device, keys), on: request.device,
            language: try context.mailLanguage(request.mailLanguage, settings),
            acceptance: Acceptance(request.acceptance),
            challenged: ChallengedCall(context, deviceID: request.device?.deviceId ?? "", keys),
            repeatable: call)
        let account = AccountID.drawn(from: randomness)
        let vault = try writer.newVault(of: account)
        let new = NewAccount(
            account: account, sealedKey: vault.sealedKey,
            sealedDisplayName: try vault.seal("", .displayName), language: signIn.language,
            isGuest: true)
        let (row, first, moment) = try await store.write(about: [.account(account)]) {
            transaction in
            (
                try write(new, signIn, transaction),
                try transaction.storedResponse(of: signIn.repeatable), transaction.at
            )
        }
        let answer = try await answers.answer(row, lastSignInAt: nil)
        return IdentityV1.AdmissionResponse(
            account: answer.account,
            proof: try proofs.signIn(
                SignInAdmission.unjudged(row, .guest, by: .guest),
                authenticatedAt: first?.authenticatedAt, provedAt: moment),
            isNewUser: true, requiredActions: answer.requiredActions)
    }

    private func write(
        _ new: NewAccount, _ call: FederatedSignInCall, _ transaction: Transaction
    ) throws -> AccountRow {
        if let first = try transaction.storedResponse(of: call.repeatable) {
            // If the guest has become a full account since then, only the owner's proof gives
            // access.
            guard let row = try transaction.account(AccountID(stored: first.account)), row.isGuest
            else { throw ServiceError(.idempotencyKeyReused) }
            guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
            // Attack: somebody who knows the key and the device id, both chosen by the client,
            // enters the guest's account after all its sessions were ended. (After a sign-out the
            // session service refuses: it stores which session the call has opened.)
            guard row.sessionGeneration == NewAccount.sessionGeneration else {
                throw ServiceError(.idempotencyKeyReused)
            }
            // A guest with a pending claim on an address is about to get a password.
            guard try transaction.claim(of: row.account, at: transaction.at) == nil else {
                throw ServiceError(.idempotencyKeyReused)
            }
            return row
        }
        try transaction.insert(new)
        try transaction.give(
            call.acceptance, settings.consent, to: new.account, from: call.origin)
        try transaction.audit(
            AuditEvent(.guestRegistered, account: new.account.key).from(call.origin))
        try transaction.remember(
            call.repeatable,
            .init(account: new.account.key, authenticatedAtMs: transaction.at.milliseconds))
        guard let row = try transaction.account(new.account), row.isGuest else {
            throw ServiceError(.internalError, detail: "a new guest account is incomplete")
        }
        return row
    }
}
